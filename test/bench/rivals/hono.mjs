import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { listInvoices } from "./job.mjs";

const app = new Hono();
app.get("/api/v1/finance/invoices", async (context) => {
  const { status, headers, body } = await listInvoices(
    context.req.header("authorization"),
    context.req.query("by_state"),
  );
  return context.body(body, status, headers);
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" }, () =>
  process.stdout.write("ready\n"),
);
