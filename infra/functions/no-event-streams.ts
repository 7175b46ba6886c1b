/**
 * Replaces the SDK's event streams in the bundles, where they would take 19 KB each. No call of a function sends or
 * receives one, but Lambda's client imports these names.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error("The bundles of functions hold no event streams");
  }
}

/** Would create a serializer; no client calls it. */
export function eventStreamSerdeProvider(): EventStreamSerde {
  return new EventStreamSerde();
}

/** Returns the configuration unchanged. */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}
