import java.nio.file.Files;
import java.nio.file.Path;
import org.openapitools.client.JSON;
import org.openapitools.client.model.OrdersCheckoutOrOrdersDropIn200Response;

/** Reads answers of the call that creates orders with the generated classes. */
public class ReadAnswers {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            String text = Files.readString(Path.of(file));
            Object read = JSON.getDefault().getMapper().readValue(text, OrdersCheckoutOrOrdersDropIn200Response.class)
                .getActualInstance();
            if (read == null) throw new IllegalStateException(file);
        }
    }
}
