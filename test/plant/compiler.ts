import { join } from "node:path";
import ts from "typescript";

/** An import, a variable or a parameter that the fault left without use. */
const unused = [6133, 6192, 6196, 6198];

/**
 * Returns a function of a file, its text with a fault, and the offset at which the fault begins. It reports whether the text
 * compiles, and could change what the file does as far as types say.
 */
export function createCompiler(root: string): (file: string, text: string, start: number) => boolean {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { fileNames: rootNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = { ...ts.createCompilerHost(options), getCurrentDirectory: () => root };
  const sources = new Map<string, ts.SourceFile | undefined>();
  let oldProgram: ts.Program | undefined;
  return (file, text, start) => {
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
    const compiles = found.every(({ code }) => unused.includes(code));
    return compiles && source !== undefined && !isIdle(source, start, program.getTypeChecker());
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

function objectAt(node: ts.Node, start: number): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node) && node.getStart() === start) return node;
  return ts.forEachChild(node, (child) => objectAt(child, start));
}
