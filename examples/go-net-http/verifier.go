// Calls of the verifier, and the signature of its webhooks.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"
)

var (
	verifierURL = env("VERIFIER_URL", "")
	apiKey      = env("VERIFIER_API_KEY", "")
	secret      = env("WEBHOOK_SECRET", "")
	client      = http.Client{Timeout: 15 * time.Second}
)

// Result has the members of a creation, a verification and an event that the shop uses.
type Result struct {
	EventID        string          `json:"event_id"`
	VerificationID string          `json:"verification_id"`
	SessionURL     string          `json:"session_url"`
	Status         string          `json:"status"`
	SessionBinding string          `json:"session_binding"`
	Checks         map[string]bool `json:"checks"`
}

var times = regexp.MustCompile(`(?:^|,)t=(\d{1,12})(?:,|$)`)
var macs = regexp.MustCompile(`(?:^|,)v1=([0-9a-f]{64})`)

// Checks the signature over the raw bytes, and that it is at most five minutes old.
func isGenuine(body []byte, header string) bool {
	t := times.FindStringSubmatch(header)
	if t == nil {
		return false
	}
	seconds, _ := strconv.ParseInt(t[1], 10, 64)
	if time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(append([]byte(t[1]+"."), body...))
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	return slices.ContainsFunc(macs.FindAllStringSubmatch(header, -1), func(found []string) bool {
		return hmac.Equal([]byte(found[1]), expected)
	})
}

func call(method, path string, body any, idempotencyKey string) (result Result, err error) {
	data, _ := json.Marshal(body)
	if body == nil {
		data = nil
	}
	request, err := http.NewRequest(method, verifierURL+path, bytes.NewReader(data))
	if err != nil {
		return result, err
	}
	request.Header.Set("Authorization", "Bearer "+apiKey)
	request.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := client.Do(request)
	if err != nil {
		return result, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return result, fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return result, json.NewDecoder(response.Body).Decode(&result)
}

// Returns a variable of the environment. Without a standard value it is required.
func env(name, standard string) string {
	value := os.Getenv(name)
	if value == "" && standard == "" {
		log.Fatalf("Set %s: see README.md.", name)
	} else if value == "" {
		return standard
	}
	return value
}
