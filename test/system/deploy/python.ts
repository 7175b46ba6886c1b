import { spawnSync } from "node:child_process";

const names = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];
const canMakeEnvironments = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";

/** The Python that `findPython` looks for, in words. */
export const neededPython = "Python 3.10 or newer with venv and pip";

/** The command of a Python that is new enough and can make virtual environments; undefined if there is none. */
export function findPython(): string | undefined {
  return names.find((name) => spawnSync(name, ["-c", canMakeEnvironments], { stdio: "ignore" }).status === 0);
}
