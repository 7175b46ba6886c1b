import { vi } from "vitest";

/** Every line the service has logged in this test file; kept off the terminal. */
export const loggedLines: string[] = [];

vi.spyOn(process.stdout, "write").mockImplementation((line) => loggedLines.push(String(line)) > 0);
