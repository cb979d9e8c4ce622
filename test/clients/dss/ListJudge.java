import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.tsl.TrustService;
import eu.europa.esig.dss.model.tsl.TrustServiceProvider;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.x509.CommonCertificateSource;
import eu.europa.esig.dss.tsl.parsing.TLParsingTask;
import eu.europa.esig.dss.tsl.source.TLSource;
import eu.europa.esig.dss.tsl.validation.TLValidatorTask;
import eu.europa.esig.dss.tsl.validation.ValidationResult;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;

/**
 * Prints what EU DSS says about trusted lists in XML. Argument: a file with a line for each list: its path, a
 * tab, and the path of a PEM with its pinned signer. Each printed line has the verdict on the signature, and
 * the services with their certificates.
 */
public class ListJudge {
  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String[] paths = line.split("\t");
      FileDocument list = new FileDocument(paths[0]);
      System.out.println("DSS " + verdict(list, new File(paths[1])) + "\t" + services(list));
    }
  }

  private static String verdict(FileDocument list, File signer) {
    try {
      CommonCertificateSource pinned = new CommonCertificateSource();
      pinned.addCertificate(DSSUtils.loadCertificate(signer));
      ValidationResult result = new TLValidatorTask(list, pinned).get();
      return result.getIndication() + "/" + result.getSubIndication();
    } catch (Exception | StackOverflowError error) {
      return "unreadable";
    }
  }

  private static String services(FileDocument list) {
    TreeSet<String> found = new TreeSet<>();
    try {
      for (TrustServiceProvider provider : new TLParsingTask(list, new TLSource()).get().getTrustServiceProviders()) {
        for (TrustService service : provider.getServices()) {
          var current = service.getStatusAndInformationExtensions().getLatest();
          for (CertificateToken certificate : service.getCertificates()) {
            String digest = DSSUtils.toHex(certificate.getDigest(DigestAlgorithm.SHA256));
            found.add(current.getType().trim() + " " + current.getStatus().trim() + " " + digest);
          }
        }
      }
    } catch (Exception error) {
      return "unreadable";
    }
    return String.join(",", found);
  }
}
