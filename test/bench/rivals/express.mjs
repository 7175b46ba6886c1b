import express from "express";
import { listInvoices } from "./job.mjs";

const app = express();
app.get("/api/v1/finance/invoices", async (request, response) => {
  const { status, headers, body } = await listInvoices(request.headers.authorization, request.query.by_state);
  response.status(status).set(headers).send(body);
});
app.listen(Number(process.env.PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
