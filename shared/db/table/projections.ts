/** Limits a read to paths such as `revision` or `record.state`. That saves transfer and parsing, but no read units. */
export function projectionOf(paths: readonly string[]) {
  const names = new Set(paths.flatMap((path) => path.split(".")));
  return {
    ProjectionExpression: paths.map((path) => path.replaceAll(/\w+/g, "#$&")).join(", "),
    ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [`#${name}`, name])),
  };
}
