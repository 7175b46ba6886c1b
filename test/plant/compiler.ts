import { join } from "node:path";
import ts from "typescript";

/** An import, a variable or a parameter that the fault left without use. */
const unused = [6133, 6192, 6196, 6198];

/** Reports whether a file of the project compiles with another text. */
export function createCompiler(root: string): (file: string, text: string) => boolean {
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  let changed = { path: "", text: "", version: 0 };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => (path === changed.path ? String(changed.version) : "0"),
    getScriptSnapshot: (path) => {
      const text = path === changed.path ? changed.text : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  });
  return (file, text) => {
    changed = { path: join(root, file), text, version: changed.version + 1 };
    const found = [...service.getSyntacticDiagnostics(changed.path), ...service.getSemanticDiagnostics(changed.path)];
    return found.every(({ code }) => unused.includes(code));
  };
}
