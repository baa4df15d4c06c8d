// An order in the sandbox, placed, paid and refunded by a client that is generated from the contract; the signing is our own.
//   paywright contract export openapi --out openapi.json && npx openapi-typescript openapi.json -o schema.d.ts
import { createSign, createVerify } from "node:crypto";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const setting = (name: string): string => process.env[`PAYWRIGHT_${name}`] ?? "";
const [own, gateway] = [readFileSync(setting("PRIVATE_KEY_FILE")), readFileSync(setting("GATEWAY_KEY_FILES"))];
const client = createClient<paths>({ baseUrl: setting("BASE_URL") });

client.use({
  async onRequest({ request }) {
    const body = Buffer.from(await request.clone().arrayBuffer());
    request.headers.set("sign", createSign("RSA-SHA256").update(body).sign(own, "base64"));
    return request;
  },
  async onResponse({ response }) {
    const body = Buffer.from(await response.clone().arrayBuffer());
    const made = response.headers.get("sign") ?? "";
    if (!createVerify("RSA-SHA256").update(body).verify(gateway, made, "base64"))
      throw new Error("The answer is not the gateway's. The call may have taken effect: query it by its key.");
  },
});

const head = (version: string) => ({
  version,
  keyVersion: "1",
  requestTime: new Date().toISOString(),
  appId: setting("APP_ID"),
  merchantNo: setting("MERCHANT_NO") || null,
});
const outTradeNo = `ORD_${Date.now()}`;
const refund = { outRefundNo: `REF_${Date.now()}`, refundAmount: 4.25, refundCurrency: "USD" };

const placed = await client.POST("/aggregate-pay/api/gateway/orderAndPay", {
  body: { ...head("1.5"), data: {
    outTradeNo, integrate: "Hosted_Checkout", subject: "A ticket", totalAmount: 10.5, currency: "USD", userId: "user_1",
    frontCallbackUrl: "https://shop.example/back" } },
});
console.log("placed", placed.data?.code, placed.data?.data?.redirectUrl);
await fetch(`${setting("SANDBOX_URL") || setting("BASE_URL")}/_sandbox/orders/${outTradeNo}/pay`, {
  method: "POST", headers: { "X-Sandbox": "1", "Content-Type": "application/json" }, body: "{}" });

const shown = await client.POST("/aggregate-pay/api/gateway/paymentOrderQry", { body: { ...head("1.4"), data: { outTradeNo } } });
console.log("order", shown.data?.data?.status);
const taken = await client.POST("/aggregate-pay/api/gateway/refund", { body: { ...head("1.5"), data: { ...refund, outTradeNo } } });
console.log("refund", taken.data?.code);
const { outRefundNo } = refund;
for (let status: unknown = null; status !== "REFUND_SUCCESS"; ) {
  const asked = await client.POST("/aggregate-pay/api/gateway/refundQuery", { body: { ...head("1.5"), data: { outRefundNo } } });
  if ((status = asked.data?.data?.status) === "REFUND_FAILED") throw new Error("The refund failed.");
  console.log("refund", status);
  await new Promise((later) => setTimeout(later, 500));
}
