// A shop that sells wine to people over 18, with the client for Go. See README.md.
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	verifier "git.example/wallet-verifier/client-go"
	"git.example/wallet-verifier/client-go/api"
)

type Order struct {
	verificationID, status, eventID string
	isAdult                         bool
}

var (
	port    = env("PORT", "3000")
	shopURL = env("SHOP_URL", "http://localhost:"+port)
	secret  = env("WEBHOOK_SECRET", "")
	client  *verifier.Verifier
	lock    sync.Mutex            // guards orders
	orders  = map[string]*Order{} // by id, which is also the visitor's login
)

func main() {
	var err error
	if client, err = verifier.New(env("VERIFIER_URL", ""), env("VERIFIER_API_KEY", ""), nil); err != nil {
		log.Fatal(err)
	}
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
	id, purpose, returnURL := rand.Text(), "We sell wine to adults only.", shopURL+"/return"
	binding := api.CreateVerificationRequiredSessionBinding("relying_party")
	created, err := client.Create(r.Context(), api.CreateVerification{
		CredentialTypes: &[]string{"age_attestation"}, Scope: &[]string{"age_over_18"},
		Purpose: &purpose, RequiredSessionBinding: &binding, ReturnUrl: &returnURL,
	}, id)
	if err != nil {
		log.Println(err)
		page(w, http.StatusBadGateway, "The age check is not available.", true)
		return
	}
	lock.Lock()
	orders[id] = &Order{verificationID: created.VerificationId, status: "pending"}
	lock.Unlock()
	isSecure := strings.HasPrefix(shopURL, "https")
	http.SetCookie(w, &http.Cookie{Name: "order", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: isSecure})
	http.Redirect(w, r, created.SessionUrl, http.StatusSeeOther)
}

// 2. The browser returns. The code shows that it is the browser that has this order.
func browserReturned(w http.ResponseWriter, r *http.Request) {
	if order := orderOf(r); order != nil {
		var result *api.Verification
		var err error
		// A person who declined or was rejected returns without a code.
		if code := r.FormValue("return_code"); code != "" {
			result, err = client.Redeem(r.Context(), order.verificationID, code)
		} else {
			result, err = client.Get(r.Context(), order.verificationID)
		}
		if err == nil {
			record(order, result.Status, result.SessionBinding, result.Checks)
		} else {
			log.Println(err)
		}
	}
	http.Redirect(w, r, "/order", http.StatusSeeOther)
}

// 3. The webhook. It arrives even if the browser never returns.
func receiveEvent(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := verifier.VerifyWebhook(body, r.Header.Get("X-Service-Signature"), []string{secret}, time.Now())
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	lock.Lock()
	var found *Order
	for _, order := range orders {
		if order.verificationID == event.VerificationId && order.eventID != event.EventId {
			order.eventID, found = event.EventId, order
		}
	}
	lock.Unlock()
	if found != nil {
		record(found, event.Status, event.SessionBinding, event.Checks)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Stores a final result, of a read, a redeemed code or an event.
func record(order *Order, status string, binding *string, checks *map[string]bool) {
	lock.Lock()
	defer lock.Unlock()
	if status == "pending" || order.status != "pending" {
		return
	}
	order.status = status
	// relying_party: this server redeemed the code in the browser of this order.
	isBound := binding != nil && *binding == "relying_party"
	order.isAdult = status == "verified" && isBound && checks != nil && (*checks)["age_over_18"]
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
