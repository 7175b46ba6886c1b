/** What a Query protocol action is given, and the XML elements it answers inside its result. */
export type QueryAction = (parameters: URLSearchParams) => Record<string, string>;
