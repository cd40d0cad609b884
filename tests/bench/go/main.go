// The orders export in Go: net/http, Debian's pgx v4 (binary rows) and encoding/csv, with the
// same en-GB text for money and dates as the other contenders.
package main

import (
	"context"
	"encoding/csv"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4/pgxpool"
)

const query = `SELECT id, customer_name, email, total, currency, created_at FROM orders
WHERE created_at >= $1::timestamptz AND created_at < $2::timestamptz ORDER BY created_at, id`

type service struct {
	pool   *pgxpool.Pool
	london *time.Location
}

func (s *service) export(response http.ResponseWriter, request *http.Request) {
	from, to, err := bounds(request)
	if err != nil {
		http.Error(response, "from and to are RFC 3339", http.StatusBadRequest)
		return
	}
	response.Header().Set("Content-Type", "text/csv; charset=utf-8")
	if err := s.write(request.Context(), csv.NewWriter(response), from, to); err != nil {
		log.Print(err)
		panic(http.ErrAbortHandler)
	}
}

func bounds(request *http.Request) (from, to time.Time, err error) {
	if from, err = time.Parse(time.RFC3339, request.FormValue("from")); err != nil {
		return
	}
	to, err = time.Parse(time.RFC3339, request.FormValue("to"))
	return
}

func (s *service) write(ctx context.Context, out *csv.Writer, from, to time.Time) error {
	rows, err := s.pool.Query(ctx, query, from, to)
	if err != nil {
		return err
	}
	defer rows.Close()
	out.Write([]string{"id", "customer", "email", "total", "created_at"})
	var (
		id                        int64
		customer, email, currency string
		total                     pgtype.Numeric
		createdAt                 time.Time
		record                    [5]string
	)
	for rows.Next() {
		if err := rows.Scan(&id, &customer, &email, &total, &currency, &createdAt); err != nil {
			return err
		}
		record[0] = integer(id)
		record[1] = freeText(customer)
		record[2] = freeText(email)
		record[3] = money(&total, currency)
		record[4] = createdAt.In(s.london).Format("02/01/2006, 15:04:05")
		if err := out.Write(record[:]); err != nil {
			return err
		}
	}
	out.Flush()
	if err := rows.Err(); err != nil {
		return err
	}
	return out.Error()
}

func main() {
	pool, err := pgxpool.Connect(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		log.Fatal(err)
	}
	s := &service{pool, london}
	http.HandleFunc("/exports/orders.csv", s.export)
	http.HandleFunc("/healthz", func(response http.ResponseWriter, _ *http.Request) {
		response.Write([]byte("ok\n"))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
