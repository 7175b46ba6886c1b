import { vi } from "vitest";

/** Leads a service's clients of the SDK to a server of this computer, until `vi.unstubAllEnvs`. */
export function stubAws(service: "DYNAMODB" | "SSM", port: number): void {
  vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, `http://127.0.0.1:${port}`);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
}
