// Gives the shared vectors to the Java client.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import walletverifier.Refused;
import walletverifier.Signatures;

final class Vectors {
  /** Returns the number of cases. Throws if the client decides one in another way. */
  static int run(Path path) throws Exception {
    JsonNode vectors = new ObjectMapper().readTree(path.toFile());
    int count = 0;
    for (String kind : List.of("webhooks", "receipts", "claims")) {
      for (JsonNode changes : vectors.path(kind).path("cases")) {
        ObjectNode arguments = vectors.path(kind).path("good").deepCopy();
        arguments.setAll((ObjectNode) changes);
        String expected = arguments.has("error") ? "error " + text(arguments, "error") : text(arguments, "accepts");
        String actual = decide(kind, arguments);
        if (!expected.equals(actual)) {
          throw new AssertionError(kind + ", " + text(arguments, "name") + ": expected " + expected + ", got " + actual);
        }
        count++;
      }
    }
    return count;
  }

  private static String decide(String kind, JsonNode arguments) {
    try {
      return switch (kind) {
        case "webhooks" -> webhook(arguments);
        case "receipts" -> Signatures.verifyReceipt(text(arguments, "receipt"), text(arguments, "jwks"),
            text(arguments, "issuer"), text(arguments, "verification_id")).path("verification_id").asText();
        default -> Signatures.decryptClaims(text(arguments, "encrypted_claims"),
            new Signatures.ClaimsChecks(text(arguments, "private_jwk"), text(arguments, "jwks"),
                text(arguments, "issuer"), text(arguments, "audience"), text(arguments, "verification_id")))
            .path("verification_id").asText();
      };
    } catch (Refused refused) {
      return "error " + refused.code;
    }
  }

  private static String webhook(JsonNode arguments) throws Refused {
    List<String> secrets = new ArrayList<>();
    arguments.path("secrets").forEach(secret -> secrets.add(secret.asText()));
    byte[] body = text(arguments, "body").getBytes(StandardCharsets.UTF_8);
    var now = Instant.ofEpochSecond(arguments.path("now").asLong());
    return Signatures.verifyWebhook(body, text(arguments, "signature"), secrets, now).getEventType();
  }

  /** A text, an object as JSON, or null. */
  private static String text(JsonNode arguments, String member) {
    JsonNode value = arguments.path(member);
    if (value.isNull()) return null;
    return value.isTextual() ? value.asText() : value.toString();
  }
}
