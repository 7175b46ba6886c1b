import { SourceMap } from "node:module";
import { join } from "node:path";
import { type Build, buildFunctions } from "../../functions/bundle.ts";
import { functions } from "../../functions/functions.ts";
import { root } from "../../support/root.ts";

/** A frame of a deployed function. Its file name carries the function and the hash of its build. */
const deployedFrame = /([\w-]+)\.([0-9a-f]{12})\.cjs:(\d+):(\d+)\)?\s*$/;

const builds = new Map<string, Build | undefined>();

/**
 * Maps stacks to lines of the sources, by builds of this checkout. Each is made when the first frame of its function appears. A
 * build with another hash has other lines: its frames stay, and it is one of `others`, the names of functions by hash.
 */
export function createStackMapper() {
  const others = new Map<string, string>();
  const originOf = (frame: string) => {
    const [, name = "", hash = "", line, column] = deployedFrame.exec(frame) ?? [];
    if (hash === "") return undefined;
    if (!builds.has(name)) builds.set(name, buildWithMap(name));
    const build = builds.get(name);
    if (build?.hash === hash) return findOrigin(build, Number(line), Number(column));
    others.set(hash, name);
    return undefined;
  };
  const map = (stack: string): string[] => {
    const frames = stack.split("\n").filter((line) => line.trim() !== "");
    const origins = frames.map(originOf);
    return frames.map((frame, at) => {
      const origin = origins[at];
      if (!origin) return frame.trim().replaceAll(root, "");
      // The name of a frame's function is the name at the place of its call, in the next frame.
      const called = origins[at + 1]?.name;
      return called === undefined ? `at ${origin.place}` : `at ${called} (${origin.place})`;
    });
  };
  return { map, others };
}

function buildWithMap(name: string): Build | undefined {
  if (!Object.hasOwn(functions, name)) return undefined;
  return buildFunctions(join(root, ".local/explain"), { names: [name], maps: true })[0];
}

function findOrigin({ map = "" }: Build, line: number, column: number) {
  const found = new SourceMap(JSON.parse(map)).findOrigin(line, column);
  if (!("fileName" in found) || !found.fileName) return undefined;
  return { name: found.name, place: `${found.fileName}:${found.lineNumber}:${found.columnNumber}` };
}
