SELECT id, customer_name AS customer, email, total, currency, created_at
FROM orders
WHERE created_at >= $1 AND created_at < $2
ORDER BY created_at, id
