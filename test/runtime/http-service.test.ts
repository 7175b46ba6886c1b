import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { findFreePort, startHttpService } from "../../infra/runtime/http-service.ts";

describe("a port", () => {
  it("that is any is none that the operating system gives to a connection in the meantime", async () => {
    for (let tries = 0; tries < 20; tries += 1) expect(await findFreePort()).toBeLessThan(32_768);
  });

  it("that is taken is said in one line", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await expect(findFreePort(port)).rejects.toThrow(`Port ${port} is in use`);
    await expect(findFreePort(65_536)).rejects.toThrow("65536");
    server.close();
    await once(server, "close");
    expect(await findFreePort(port)).toBe(port);
  });
});

it("a service that is closed ends the requests in hand, and its port is free", async () => {
  const reached = Promise.withResolvers<void>();
  const service = await startHttpService(() => reached.resolve());
  const asked = Promise.allSettled([fetch(`http://127.0.0.1:${service.port}`)]);
  await reached.promise;
  await service.close();
  expect(await asked).toMatchObject([{ status: "rejected" }]);
  expect(await findFreePort(service.port)).toBe(service.port);
});
