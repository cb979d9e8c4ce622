package walletverifier;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Set;
import walletverifier.api.ApiException;

/**
 * A call failed. {@code code} is a code of the service or of this client. {@code unreachable}: no whole response
 * arrived, and {@code status} is 0. {@code unexpected_answer}: the response is not the service's.
 */
public final class VerifierException extends Exception {
  static final Set<Integer> RETRIED = Set.of(408, 425, 429, 500, 502, 503, 504);
  private static final ObjectMapper JSON = new ObjectMapper();

  public final String code;
  public final int status;
  /** The problem details (RFC 9457). {@code detail} is the remedy; {@code retryable}: a later call may succeed. */
  public final transient JsonNode problem;

  private VerifierException(JsonNode problem, int status, Exception cause) {
    super(problem.path("code").asText() + ": " + problem.path("title").asText(), cause);
    this.code = problem.path("code").asText();
    this.status = status;
    this.problem = problem;
  }

  static VerifierException of(ApiException cause) {
    boolean isAnswer = cause.getCode() != 0 || cause.getCause() instanceof JacksonException;
    if (!isAnswer) return own("unreachable", String.valueOf(cause.getMessage()), 0, cause);
    int status = cause.getCode() == 0 ? 200 : cause.getCode();
    try {
      var problem = JSON.readTree(String.valueOf(cause.getResponseBody()));
      if (problem.path("code").isTextual()) return new VerifierException(problem, status, cause);
    } catch (JacksonException notJson) {
      // Falls through to the error.
    }
    String title = "HTTP " + status + " with a body that is not of the service: check the address and proxies before it";
    return own("unexpected_answer", title, status, cause);
  }

  private static VerifierException own(String code, String title, int status, Exception cause) {
    boolean retryable = status == 0 || RETRIED.contains(status);
    var problem = JSON.createObjectNode().put("code", code).put("title", title).put("retryable", retryable);
    return new VerifierException(problem, status, cause);
  }
}
