/** The view and what is open in it, as an address names them; People where it names no view. */
export function routeOf(hash: string, views: object): [name: string, id: string | undefined] {
  const [, name = "", id] = hash.split("/");
  return [Object.hasOwn(views, name) ? name : "people", id && decode(id)];
}

/** Anyone may write an address: one with a percent sign of its own is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
