import ts from "typescript";

/** A fault that may be planted into a source: the place, and the text that would stand there instead. */
export interface Fault {
  readonly kind: "comparison" | "figure" | "condition" | "await" | "branch" | "order";
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Edit = readonly [kind: Fault["kind"], from: ts.Node, text: string, to?: ts.Node];

const compared: Words = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" };
const reckoned: Words = { "-": "+", "*": "/", "/": "*" };
const opposites: Words = { max: "min", min: "max", some: "every", every: "some" };
type Words = Readonly<Record<string, string>>;

/** Calls whose arguments people read. */
const says = /^(log|say|console\.\w+|process\.std(out|err)\.write|\w*Error)$/;
/** Calls that give back what the end of the process gives back too. */
const frees = /\.(destroy|unref)$/;
const orders = ["sort", "toSorted", "reverse", "toReversed"];
/** A comparison in an expression of DynamoDB. */
const inExpression = /(?<= )[<>]=?(?= :)/;
const conditional = /(Condition|Filter)Expression$/;

/** Every fault of a source that changes no type and no text for people. */
export function faultsOf(source: ts.SourceFile): Fault[] {
  const found: Fault[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || isSaid(node)) return;
    for (const [kind, from, text, to = from] of editsOf(node)) {
      found.push({ kind, start: from.getStart(), end: to.getEnd(), text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isSaid(node: ts.Node): boolean {
  return (ts.isCallExpression(node) || ts.isNewExpression(node)) && says.test(node.expression.getText());
}

function editsOf(node: ts.Node): Edit[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isNumericLiteral(node)) return [["figure", node, String(+node.text < 2 ? +node.text + 1 : +node.text * 2)]];
  if (ts.isStringLiteralLike(node)) return ofExpression(node);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [["condition", node, "false"]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [["condition", node, "true"]];
  if (ts.isPrefixUnaryExpression(node) && node.getText().startsWith("!"))
    return [["comparison", node, node.operand.getText()]];
  if (ts.isCallExpression(node)) return ofCall(node);
  if (ts.isPropertyAssignment(node)) return conditional.test(node.name.getText()) ? [["condition", node, "...{}"]] : [];
  if (ts.isAwaitExpression(node)) return isLinted(node) ? [] : [["await", node, node.expression.getText()]];
  if (ts.isConditionalExpression(node)) return ofAlternatives(node, node.whenTrue, node.whenFalse);
  if (ts.isIfStatement(node)) return [["branch", node, node.elseStatement?.getText() ?? "{}"]];
  if (ts.isExpressionStatement(node)) return isStep(node) ? [["branch", node, ";"]] : [];
  if (ts.isCaseClause(node)) return node.statements.length > 0 ? [["branch", node, ""]] : [];
  if (ts.isBlock(node) || ts.isSourceFile(node)) return ofSteps(node.statements);
  return [];
}

function ofBinary(node: ts.BinaryExpression): Edit[] {
  const { left, right, operatorToken } = node;
  const operator = operatorToken.getText();
  if (operator in compared) return [["comparison", operatorToken, compared[operator] ?? ""]];
  if (operator in reckoned) return [["figure", operatorToken, reckoned[operator] ?? ""]];
  if (operator === "+" && [left, right].some(ts.isNumericLiteral)) return [["figure", operatorToken, "-"]];
  if (operator === "??") return [["branch", node, left.getText()]];
  if (operator !== "&&" && operator !== "||") return [];
  return [left, right].map((operand) => ["condition", node, operand.getText()]);
}

/**
 * Whether Biome's `noFloatingPromises` refuses the statement without `await`. Of calls it knows those of Promise's own functions,
 * of functions in the file and of those from other files, but hardly of methods, parameters and packages.
 */
function isLinted({ parent, expression }: ts.AwaitExpression): boolean {
  if (!ts.isExpressionStatement(parent) || !ts.isCallExpression(expression)) return false;
  const name = expression.expression.getText();
  if (!/^\w+$/.test(name)) return /^Promise\.\w+$/.test(name);
  const known = new RegExp(`function ${name}\\b|import [^;"]*\\b${name}\\b[^;"]* from "\\.`);
  return known.test(parent.getSourceFile().text);
}

function ofExpression(node: ts.StringLiteralLike): Edit[] {
  const [operator] = inExpression.exec(node.text) ?? [];
  return operator ? [["comparison", node, node.getText().replace(inExpression, compared[operator] ?? "")]] : [];
}

function ofCall(node: ts.CallExpression): Edit[] {
  const called = node.expression;
  if (!ts.isPropertyAccessExpression(called)) {
    const others = node.arguments.slice(0, -1).map((each) => each.getText());
    const isJoined = /^(allOf|anyOf)$/.test(called.getText()) && others.length > 0;
    return isJoined ? [["condition", node, `${called.getText()}(${others.join(", ")})`]] : [];
  }
  const name = called.name.text;
  const opposite = opposites[name];
  if (opposite) return [[name.startsWith("m") ? "figure" : "condition", called.name, opposite]];
  if (name === "filter") return [["condition", node, called.expression.getText()]];
  return orders.includes(name) ? [["order", node, called.expression.getText()]] : [];
}

function ofAlternatives(node: ts.Node, ...alternatives: ts.Expression[]): Edit[] {
  const isText = alternatives.every((each) => ts.isStringLiteralLike(each) || ts.isTemplateExpression(each));
  return isText ? [] : alternatives.map((each) => ["branch", node, each.getText()]);
}

/** Two steps after each other change places. Where neither waits nor leaves, most are independent of each other. */
function ofSteps(statements: readonly ts.Statement[]): Edit[] {
  return statements.slice(1).flatMap((second, at): Edit[] => {
    const first = statements[at];
    const isPair = first && [first, second].every((each) => isStep(each) || ts.isIfStatement(each));
    if (!isPair || ![first, second].some(waitsOrLeaves) || areAlternatives(first, second)) return [];
    return [["order", first, `${second.getText()} ${first.getText()}`, second]];
  });
}

function waitsOrLeaves(step: ts.Statement): boolean {
  if (ts.isExpressionStatement(step)) return ts.isAwaitExpression(step.expression);
  return /\b(await|return|throw)\b/.test(step.getText());
}

/** Whether both ask if the same value is equal to a text, or is one kind of node, so that only one of them runs. */
function areAlternatives(one: ts.Statement, other: ts.Statement): boolean {
  const asked = [one, other].map((step) =>
    ts.isIfStatement(step) ? /^(.+) === "[^"]*"$|^ts\.is\w+(\(\w+\))$/.exec(step.expression.getText()) : null,
  );
  const [first, second] = asked.map((found) => found?.[1] ?? found?.[2]);
  return first !== undefined && first === second;
}

function isStep(node: ts.Statement): boolean {
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  const inner = ts.isAwaitExpression(expression) ? expression.expression : expression;
  if (!ts.isCallExpression(inner) || frees.test(inner.expression.getText())) return false;
  return inner.expression.kind !== ts.SyntaxKind.SuperKeyword && !isSaid(inner);
}
