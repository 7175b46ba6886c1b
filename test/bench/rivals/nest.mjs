// Decorators by hand: plain JavaScript has none.
import "reflect-metadata";
import { Controller, Get, Module, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { listInvoices } from "./job.mjs";

class Invoices {
  async list(request, response) {
    const { status, headers, body } = await listInvoices(request.headers.authorization, request.query.by_state);
    response.status(status).set(headers).send(body);
  }
}
Controller("api/v1/finance")(Invoices);
Get("invoices")(Invoices.prototype, "list", Object.getOwnPropertyDescriptor(Invoices.prototype, "list"));
Req()(Invoices.prototype, "list", 0);
Res()(Invoices.prototype, "list", 1);

class App {}
Module({ controllers: [Invoices] })(App);

const app = await NestFactory.create(App, { logger: false });
await app.listen(Number(process.env.PORT), "127.0.0.1");
process.stdout.write("ready\n");
