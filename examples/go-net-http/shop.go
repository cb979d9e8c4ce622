// A shop that sells wine to people over 18. See README.md.
package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
)

type Order struct {
	verificationID, status, eventID string
	isAdult                         bool
}

var (
	port       = env("PORT", "3000")
	shopURL    = env("SHOP_URL", "http://localhost:"+port)
	lock       sync.Mutex            // guards orders and seenEvents
	orders     = map[string]*Order{} // by id, which is also the visitor's login
	seenEvents = map[string]bool{}   // the same event may arrive twice
)

func main() {
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page(w, 200, "A bottle of wine, € 12.50.", true) })
	http.HandleFunc("POST /orders", createOrder)
	http.HandleFunc("GET /return", browserReturned)
	http.HandleFunc("POST /webhook", receiveEvent)
	http.HandleFunc("GET /order", showOrder)
	fmt.Println("The shop is open: " + shopURL)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

// 1. Ask. The person continues on the verifier's page.
func createOrder(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	created, err := call("POST", "/v1/verify", map[string]any{
		"credential_types":         []string{"age_attestation"},
		"scope":                    []string{"age_over_18"},
		"purpose":                  "We sell wine to adults only.",
		"required_session_binding": "relying_party",
		"return_url":               shopURL + "/return",
		"metadata":                 map[string]string{"order": id},
	}, id)
	if err != nil {
		log.Println(err)
		page(w, http.StatusBadGateway, "The age check is not available.", true)
		return
	}
	lock.Lock()
	orders[id] = &Order{verificationID: created.VerificationID, status: "pending"}
	lock.Unlock()
	isSecure := strings.HasPrefix(shopURL, "https")
	http.SetCookie(w, &http.Cookie{Name: "order", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: isSecure})
	http.Redirect(w, r, created.SessionURL, http.StatusSeeOther)
}

// 2. The browser returns. The code shows that it is the browser that has this order.
func browserReturned(w http.ResponseWriter, r *http.Request) {
	if order := orderOf(r); order != nil {
		method, path, body := "GET", "/v1/verify/"+order.verificationID, any(nil)
		// A person who declined or was rejected returns without a code.
		if code := r.FormValue("return_code"); code != "" {
			method, path, body = "POST", path+"/return", map[string]string{"return_code": code}
		}
		if result, err := call(method, path, body, ""); err == nil {
			record(order, result)
		}
	}
	http.Redirect(w, r, "/order", http.StatusSeeOther)
}

// 3. The webhook. It arrives even if the browser never returns.
func receiveEvent(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	var event Result
	if err != nil || !isGenuine(body, r.Header.Get("X-Service-Signature")) || json.Unmarshal(body, &event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	lock.Lock()
	isNew := !seenEvents[event.EventID]
	seenEvents[event.EventID] = true
	var found *Order
	for _, order := range orders {
		if order.verificationID == event.VerificationID {
			found = order
		}
	}
	lock.Unlock()
	if isNew && found != nil {
		record(found, event)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Stores a final result, of a poll, a redeemed code or an event.
func record(order *Order, result Result) {
	lock.Lock()
	defer lock.Unlock()
	if result.EventID != "" {
		order.eventID = result.EventID
	}
	if result.Status == "pending" || order.status != "pending" {
		return
	}
	order.status = result.Status
	// relying_party: this server redeemed the code in the browser of this order.
	order.isAdult = result.Status == "verified" && result.SessionBinding == "relying_party" && result.Checks["age_over_18"]
}

func showOrder(w http.ResponseWriter, r *http.Request) {
	order := orderOf(r)
	if order == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	lock.Lock()
	defer lock.Unlock()
	text := map[string]string{"pending": "We are waiting for your wallet.", "expired": "That took too long.",
		"declined": "You declined. We learned nothing about you."}[order.status]
	if order.isAdult {
		text = "You are over 18. The wine is yours."
	} else if text == "" {
		text = "We could not confirm your age."
	}
	webhook := "not yet received"
	if order.eventID != "" {
		webhook = "received, " + order.eventID
	}
	page(w, 200, text+"</p><p>Webhook: "+webhook, order.status != "pending" && !order.isAdult)
}

func orderOf(r *http.Request) *Order {
	cookie, err := r.Cookie("order")
	if err != nil {
		return nil
	}
	lock.Lock()
	defer lock.Unlock()
	return orders[cookie.Value]
}

func page(w http.ResponseWriter, status int, text string, mayOrder bool) {
	head, form := `<meta http-equiv="refresh" content="3">`, ""
	if mayOrder {
		head, form = "", `<form method="post" action="/orders"><button>Buy wine</button></form>`
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<!doctype html><html lang="en">%s<title>Wine shop</title><p>%s</p>%s</html>`, head, text, form)
}
