import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { findFreePort, startHttpService } from "../../infra/local/http-service.ts";

describe("a port", () => {
  it("that is any is none that the operating system gives to a connection in the meantime", async () => {
    for (let tries = 0; tries < 20; tries += 1) expect(await findFreePort()).toBeLessThan(32_768);
  });

  it("that is taken is said in one line", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await expect(findFreePort(port)).rejects.toThrow(`Port ${port} is in use`);
    server.close();
    await once(server, "close");
    expect(await findFreePort(port)).toBe(port);
  });
});

describe("a service", () => {
  // Linux alone answers at every address of the loopback network.
  it.skipIf(process.platform !== "linux").each([
    [false, "127.0.0.1"],
    [true, "127.0.0.1 127.0.0.2"],
  ])("with lan %s answers at %s", async (lan, addresses) => {
    const service = await startHttpService((_, response) => response.end(), { lan });
    const asked = ["127.0.0.1", "127.0.0.2"].map((address) => fetch(`http://${address}:${service.port}`));
    const answers = await Promise.allSettled(asked);
    await service.close();
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(addresses.split(" ").length);
  });

  it("that is closed ends the requests in hand, and its port is free", async () => {
    const reached = Promise.withResolvers<void>();
    const service = await startHttpService(() => reached.resolve());
    const asked = Promise.allSettled([fetch(`http://127.0.0.1:${service.port}`)]);
    await reached.promise;
    await service.close();
    expect(await asked).toMatchObject([{ status: "rejected" }]);
    expect(await findFreePort(service.port)).toBe(service.port);
  });
});
