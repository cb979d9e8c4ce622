// A shop that sells wine to people over 18, with the client for Java. See README.md.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import walletverifier.Refused;
import walletverifier.Signatures;
import walletverifier.Verifier;
import walletverifier.VerifierException;
import walletverifier.model.CreateVerification;
import walletverifier.model.CreateVerification.RequiredSessionBindingEnum;

public final class Shop {
  private static final int PORT = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
  private static final String SHOP_URL = System.getenv().getOrDefault("SHOP_URL", "http://localhost:" + PORT);
  private static final Verifier VERIFIER = new Verifier(env("VERIFIER_URL"), env("VERIFIER_API_KEY"));
  private static final String SECRET = env("WEBHOOK_SECRET");
  private static final Pattern RETURN_CODE = Pattern.compile("(?:^|&)return_code=([A-Za-z0-9_-]+)");
  private static final Pattern COOKIE = Pattern.compile("(?:^|; )order=([0-9a-f-]{36})");
  /** By id, which is also the visitor's login: a real shop has a database and sessions. */
  private static final Map<String, Order> ORDERS = new ConcurrentHashMap<>();

  private static final class Order {
    final String verificationId;
    String status = "pending";
    String eventId;
    boolean isAdult;

    Order(String verificationId) {
      this.verificationId = verificationId;
    }

    /** Stores a final result, of a read, a redeemed code or an event. */
    synchronized void record(String status, String binding, Map<String, Boolean> checks) {
      if (status.equals("pending") || !this.status.equals("pending")) return;
      this.status = status;
      // relying_party: this server redeemed the code in the browser of this order.
      boolean isProven = checks != null && Boolean.TRUE.equals(checks.get("age_over_18"));
      isAdult = status.equals("verified") && "relying_party".equals(binding) && isProven;
    }
  }

  public static void main(String[] arguments) throws IOException {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", PORT), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", Shop::handle);
    server.start();
    System.out.println("The shop is open: " + SHOP_URL);
  }

  private static void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      switch (exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath()) {
        case "GET /" -> page(exchange, 200, "A bottle of wine, € 12.50.", true);
        case "POST /orders" -> ask(exchange);
        case "GET /return" -> complete(exchange);
        case "POST /webhook" -> receive(exchange);
        case "GET /order" -> show(exchange);
        default -> answer(exchange, 404, "");
      }
    }
  }

  /** 1. Ask. The person continues on the verifier's page. */
  private static void ask(HttpExchange exchange) throws IOException {
    var id = UUID.randomUUID().toString();
    var request = new CreateVerification().credentialTypes(List.of("age_attestation")).scope(List.of("age_over_18"))
        .purpose("We sell wine to adults only.").requiredSessionBinding(RequiredSessionBindingEnum.RELYING_PARTY)
        .returnUrl(SHOP_URL + "/return");
    try {
      var created = VERIFIER.create(request, id);
      ORDERS.put(id, new Order(created.getVerificationId()));
      var secure = SHOP_URL.startsWith("https") ? "; Secure" : "";
      exchange.getResponseHeaders().set("Set-Cookie", "order=" + id + "; Path=/; HttpOnly; SameSite=Lax" + secure);
      redirect(exchange, created.getSessionUrl().toString());
    } catch (VerifierException failure) {
      System.err.println(failure.getMessage());
      page(exchange, 502, "The age check is not available.", true);
    }
  }

  /** 2. The browser returns. The code shows that it is the browser that has this order. */
  private static void complete(HttpExchange exchange) throws IOException {
    var order = orderOf(exchange);
    if (order != null) {
      try {
        // A person who declined or was rejected returns without a code.
        var code = RETURN_CODE.matcher(String.valueOf(exchange.getRequestURI().getQuery()));
        var result = code.find() ? VERIFIER.redeem(order.verificationId, code.group(1)) : VERIFIER.get(order.verificationId);
        order.record(result.getStatus(), result.getSessionBinding(), result.getChecks());
      } catch (VerifierException failure) {
        System.err.println(failure.getMessage());
      }
    }
    redirect(exchange, "/order");
  }

  /** 3. The webhook. It arrives even if the browser never returns. */
  private static void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(1 << 20);
    var signature = exchange.getRequestHeaders().getFirst("X-Service-Signature");
    try {
      var event = Signatures.verifyWebhook(body, signature, List.of(SECRET), Instant.now());
      for (var order : ORDERS.values()) {
        if (!order.verificationId.equals(event.getVerificationId()) || event.getEventId().equals(order.eventId)) continue;
        order.eventId = event.getEventId();
        order.record(event.getStatus(), event.getSessionBinding(), event.getChecks());
      }
      exchange.sendResponseHeaders(204, -1);
    } catch (Refused refused) {
      exchange.sendResponseHeaders(400, -1);
    }
  }

  private static void show(HttpExchange exchange) throws IOException {
    var order = orderOf(exchange);
    if (order == null) {
      redirect(exchange, "/");
      return;
    }
    var text = order.isAdult ? "You are over 18. The wine is yours." : switch (order.status) {
      case "pending" -> "We are waiting for your wallet.";
      case "declined" -> "You declined. We learned nothing about you.";
      case "expired" -> "That took too long.";
      default -> "We could not confirm your age.";
    };
    var webhook = order.eventId == null ? "not yet received" : "received, " + order.eventId;
    page(exchange, 200, text + "</p><p>Webhook: " + webhook, !order.status.equals("pending") && !order.isAdult);
  }

  private static Order orderOf(HttpExchange exchange) {
    var cookie = COOKIE.matcher(String.valueOf(exchange.getRequestHeaders().getFirst("Cookie")));
    return cookie.find() ? ORDERS.get(cookie.group(1)) : null;
  }

  private static void page(HttpExchange exchange, int status, String text, boolean mayOrder) throws IOException {
    var reload = mayOrder ? "" : "<meta http-equiv=\"refresh\" content=\"3\">";
    var form = mayOrder ? "<form method=\"post\" action=\"/orders\"><button>Buy wine</button></form>" : "";
    var head = "<!doctype html><html lang=\"en\">" + reload + "<title>Wine shop</title>";
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    answer(exchange, status, head + "<p>" + text + "</p>" + form + "</html>");
  }

  private static void redirect(HttpExchange exchange, String address) throws IOException {
    exchange.getResponseHeaders().set("Location", address);
    answer(exchange, 303, "");
  }

  private static void answer(HttpExchange exchange, int status, String content) throws IOException {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static String env(String name) {
    var value = System.getenv(name);
    if (value != null) return value;
    System.err.println("Set " + name + ": see README.md.");
    System.exit(1);
    return "";
  }
}
