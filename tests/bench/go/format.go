package main

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/jackc/pgtype"
)

// Symbol and decimals of the currencies that the benchmark's orders have.
var currencies = map[string]struct {
	symbol string
	digits int32
}{"GBP": {"£", 2}, "EUR": {"€", 2}, "USD": {"US$", 2}, "JPY": {"JP¥", 0}}

func integer(value int64) string { return strconv.FormatInt(value, 10) }

// freeText disarms a leading formula character.
func freeText(text string) string {
	trimmed := strings.TrimLeft(text, " \n\v\f")
	if trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

// money is the amount as Intl's en-GB has it: rounded half away from zero, grouped by three.
func money(amount *pgtype.Numeric, currency string) string {
	format := currencies[currency]
	digits := rounded(amount, format.digits)
	negative := strings.HasPrefix(digits, "-")
	digits = strings.TrimPrefix(digits, "-")
	for int32(len(digits)) <= format.digits {
		digits = "0" + digits
	}
	whole := len(digits) - int(format.digits)
	text := make([]byte, 0, 32)
	if negative {
		text = append(text, '-')
	}
	text = append(text, format.symbol...)
	for i := 0; i < whole; i++ {
		if i > 0 && (whole-i)%3 == 0 {
			text = append(text, ',')
		}
		text = append(text, digits[i])
	}
	if format.digits > 0 {
		text = append(append(text, '.'), digits[whole:]...)
	}
	return string(text)
}

// rounded is the amount times 10^digits as an integer.
func rounded(amount *pgtype.Numeric, digits int32) string {
	shift := amount.Exp + digits
	if shift >= 0 {
		if amount.Int.IsInt64() && shift <= 2 {
			return strconv.FormatInt(amount.Int.Int64()*[]int64{1, 10, 100}[shift], 10)
		}
		return new(big.Int).Mul(amount.Int, power(shift)).String()
	}
	divisor := power(-shift)
	half := new(big.Int).Rsh(divisor, 1)
	if amount.Int.Sign() < 0 {
		half.Neg(half)
	}
	return half.Add(half, amount.Int).Quo(half, divisor).String()
}

func power(exponent int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)
}
