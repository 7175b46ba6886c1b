import { join } from "node:path";
import ts from "typescript";

/** An import, a variable or a parameter that the fault left without use. */
const unused = [6133, 6192, 6196, 6198];

/** A file's text with a fault, and the offset at which the fault begins. */
interface Planted {
  readonly file: string;
  readonly text: string;
  readonly start: number;
}

/** Returns a function that reports whether a fault compiles, and could change what the file does as far as types say. */
export function createCompiler(root: string): (planted: Planted) => boolean {
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
  return ({ file, text, start }) => {
    changed = { path: join(root, file), text, version: changed.version + 1 };
    const found = [...service.getSyntacticDiagnostics(changed.path), ...service.getSemanticDiagnostics(changed.path)];
    const program = service.getProgram();
    const source = program?.getSourceFile(changed.path);
    const compiles = found.every(({ code }) => unused.includes(code));
    return (
      compiles && program !== undefined && source !== undefined && !isIdle(source, start, program.getTypeChecker())
    );
  };
}

/** Whether a spread stands last in the object at this offset, and overrides no property there. */
function isIdle(source: ts.SourceFile, start: number, checker: ts.TypeChecker): boolean {
  const object = objectAt(source, start);
  const last = object?.properties.at(-1);
  if (!object || !last || !ts.isSpreadAssignment(last)) return false;
  const namesOf = (property: ts.ObjectLiteralElementLike) => {
    if (!ts.isSpreadAssignment(property)) return [property.name.getText()];
    const type = checker.getTypeAtLocation(property.expression);
    return (type.isUnion() ? type.types : [type]).flatMap((each) => each.getProperties().map(({ name }) => name));
  };
  const isOpen = checker.getTypeAtLocation(last.expression).getStringIndexType() !== undefined;
  const others = object.properties.slice(0, -1).flatMap(namesOf);
  return !isOpen && namesOf(last).every((name) => !others.includes(name));
}

function objectAt(source: ts.SourceFile, start: number): ts.ObjectLiteralExpression | undefined {
  const find = (node: ts.Node): ts.ObjectLiteralExpression | undefined =>
    ts.isObjectLiteralExpression(node) && node.getStart() === start ? node : ts.forEachChild(node, find);
  return find(source);
}
