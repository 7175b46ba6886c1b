/** Takes the parameters of a Query protocol action and returns the XML elements inside its result. */
export type QueryAction = (parameters: URLSearchParams) => Record<string, string>;
