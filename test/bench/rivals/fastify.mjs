import fastify from "fastify";
import { listInvoices } from "./job.mjs";

const app = fastify();
app.get("/api/v1/finance/invoices", async (request, reply) => {
  const { status, headers, body } = await listInvoices(request.headers.authorization, request.query.by_state);
  return reply.code(status).headers(headers).send(body);
});
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
process.stdout.write("ready\n");
