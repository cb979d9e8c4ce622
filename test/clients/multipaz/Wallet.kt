import kotlinx.coroutines.runBlocking
import kotlinx.io.bytestring.ByteString
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.put
import org.multipaz.crypto.Algorithm
import org.multipaz.document.buildDocumentStore
import org.multipaz.documenttype.DocumentTypeRepository
import org.multipaz.mdoc.credential.MdocCredential
import org.multipaz.presentment.SimplePresentmentSource
import org.multipaz.presentment.digitalCredentialsPresentment
import org.multipaz.prompt.promptModelSilentConsent
import org.multipaz.securearea.CreateKeySettings
import org.multipaz.securearea.SecureAreaRepository
import org.multipaz.securearea.software.SoftwareSecureArea
import org.multipaz.storage.ephemeral.EphemeralStorage
import org.multipaz.util.fromBase64Url
import kotlin.time.ExperimentalTime

/**
 * A wallet of the Multipaz SDK, behind a browser. It reads one JSON object a line, and answers each in one line.
 * `{docType}`: a document without content, answered by its device key as a JWK.
 * `{issued}`: IssuerSigned in base64url for the newest document, answered by `{}`.
 * `{protocol, data, origin}`: a request, answered by the credential for the page, or by `{refused}`.
 */
@OptIn(ExperimentalTime::class)
fun main() = runBlocking {
  val storage = EphemeralStorage()
  val area = SoftwareSecureArea.create(storage)
  val areas = SecureAreaRepository.Builder().add(area).build()
  val store = buildDocumentStore(storage = storage, secureAreaRepository = areas) {}
  val source = SimplePresentmentSource(
    documentStore = store,
    documentTypeRepository = DocumentTypeRepository(),
    showConsentPromptFn = ::promptModelSilentConsent,
    domainsMdocSignature = listOf("mdoc"),
  )
  var newest: MdocCredential? = null
  for (line in generateSequence(::readLine)) {
    val message = Json.parseToJsonElement(line).jsonObject
    fun text(name: String) = message[name]?.jsonPrimitive?.content ?: ""
    val answer: JsonObject = when {
      "docType" in message -> {
        val document = store.createDocument(displayName = text("docType"))
        newest = MdocCredential.create(
          document = document,
          asReplacementForIdentifier = null,
          domain = "mdoc",
          secureArea = area,
          docType = text("docType"),
          createKeySettings = CreateKeySettings(algorithm = Algorithm.ESP256),
        )
        area.getKeyInfo(newest.alias).publicKey.toJwk()
      }
      "issued" in message -> {
        newest!!.certify(ByteString(text("issued").fromBase64Url()))
        buildJsonObject {}
      }
      else -> try {
        digitalCredentialsPresentment(
          protocol = text("protocol"),
          data = message["data"]!!.jsonObject,
          appId = null,
          origin = text("origin"),
          preselectedDocuments = emptyList(),
          source = source,
        )
      } catch (error: Exception) {
        buildJsonObject { put("refused", "${error::class.simpleName}: ${error.message}") }
      }
    }
    println("WALLET $answer")
  }
}
