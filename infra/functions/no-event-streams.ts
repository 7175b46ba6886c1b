/**
 * Takes the place of the SDK's event streams in the bundles: none of the calls that functions make sends or answers one, and
 * they are 19 KB of each bundle. The client of Lambda is configured with these names.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error("The bundles of functions hold no event streams");
  }
}

/** How a client would make one; it never does. */
export function eventStreamSerdeProvider(): EventStreamSerde {
  return new EventStreamSerde();
}

/** The configuration as it is. */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}
