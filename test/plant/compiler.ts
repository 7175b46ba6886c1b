import { join } from "node:path";
import ts from "typescript";

/** An import, a variable or a parameter that the fault left without use. */
const unused = [6133, 6192, 6196, 6198];

/** Returns a function of a file and its text with a fault, which reports whether the text compiles. */
export function createCompiler(root: string): (file: string, text: string) => boolean {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { fileNames: rootNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = { ...ts.createCompilerHost(options), getCurrentDirectory: () => root };
  const sources = new Map<string, ts.SourceFile | undefined>();
  let oldProgram: ts.Program | undefined;
  return (file, text) => {
    const path = join(root, file);
    const getSourceFile: typeof host.getSourceFile = (name, version) => {
      if (name === path) return ts.createSourceFile(name, text, version);
      if (!sources.has(name)) sources.set(name, host.getSourceFile(name, version));
      return sources.get(name);
    };
    const program = ts.createProgram({ rootNames, options, host: { ...host, getSourceFile }, oldProgram });
    oldProgram = program;
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.every(({ code }) => unused.includes(code));
  };
}
