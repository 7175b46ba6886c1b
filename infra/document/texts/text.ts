import type { Operation } from "../../../shared/contract/operation.ts";
import type { paging } from "../../../shared/contract/query.ts";
import type { AnswerHeader, RequestHeader } from "./headers.ts";

/** The document's text for a field: a sentence, and an example unless the field's value is an object. */
export type FieldText = readonly [text: string, example?: unknown] | NestedText;

/** The text of a field whose value is an unnamed object or a list of them. */
export interface NestedText {
  readonly text: string;
  readonly fields: Readonly<Record<string, FieldText>>;
}

/** A text for each field. A missing one is a type error. */
export type FieldTexts<Entries> = { readonly [Name in keyof Entries]: FieldText };

/**
 * The document's texts for an operation besides its summary. Handlers import none of them, so no bundle contains them.
 */
export interface OperationText {
  readonly operation: string;
  /** Its purpose, its effects, and what to know before the first call, in Markdown. */
  readonly description: string;
  /** Texts of the path parameters. */
  readonly parameters?: Readonly<Record<string, FieldText>>;
  /** Texts of the query parameters, except those of paging, which have one text for all lists. */
  readonly query?: Readonly<Record<string, FieldText>>;
  /** Texts of the body's outer object and its fields. */
  readonly body?: NestedText;
  /** Texts of status 200 and the answer's fields; for a list, of its array. */
  readonly answer: NestedText;
  /** The headers of requests that it reads, besides those that follow from its entry. */
  readonly takes?: readonly RequestHeader[];
  /** The headers of its answer, besides those that follow from its entry. */
  readonly answers?: readonly AnswerHeader[];
}

/** The document's texts for a named shape. */
export interface ShapeText {
  readonly shape: object;
  readonly text: string;
  readonly fields: Readonly<Record<string, FieldText>>;
}

type EntriesOf<S> = S extends { readonly entries: infer Entries } ? Entries : Record<never, never>;

interface Nested<Fields> {
  readonly text: string;
  readonly fields: Fields;
}

type Parts<O extends Operation> = (O extends { readonly parameters: infer S }
  ? { readonly parameters: FieldTexts<EntriesOf<S>> }
  : unknown) &
  (O extends { readonly query: infer S }
    ? { readonly query: FieldTexts<Omit<EntriesOf<S>, keyof typeof paging>> }
    : unknown) &
  (O extends { readonly body: { readonly fields: infer S } }
    ? { readonly body: Nested<FieldTexts<EntriesOf<S>>> }
    : unknown) & {
    readonly answer: Nested<
      O extends { readonly list: infer List extends string }
        ? { readonly [Name in List]: FieldText }
        : FieldTexts<EntriesOf<O["answer"]>>
    >;
  };

/** Declares the texts of an operation. Its entry determines the parts: missing and unknown ones are type errors. */
export function describes<const O extends Operation>(
  { name }: O,
  text: Pick<OperationText, "description" | "takes" | "answers"> & Parts<O>,
): OperationText {
  return { operation: name, ...text };
}

/** Declares the texts of a named shape's fields. */
export function shapes<const S extends { readonly entries: object }>(
  shape: S,
  text: string,
  fields: FieldTexts<S["entries"]>,
): ShapeText {
  return { shape: shape.entries, text, fields: fields as ShapeText["fields"] };
}

/** Declares the texts of a field whose value is an unnamed object. */
export function nested(text: string, fields: Readonly<Record<string, FieldText>>): NestedText {
  return { text, fields };
}
