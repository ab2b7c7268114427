import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { saveFile } from '../../platform/durable-file.ts';
import { OWNER_FILE, OWNER_FOLDER } from '../../platform/owner-file.ts';
import { parseJson } from '../../platform/parse-json.ts';
import { readRegularFileNow } from '../../platform/regular-file.ts';
import { Offer } from './catalogue-page.ts';
import { type CatalogueState, emptyCatalogue } from './catalogue-state.ts';

const MAX_BYTES = 33_554_432;

interface Deps<Facts> {
  /** The setting `state.directory`. */
  readonly stateDirectory: string;
  /** The registered name of the provider. */
  readonly provider: string;
  /** The service and its address. The catalogue of another service is not read. */
  readonly source: string;
  readonly facts: v.GenericSchema<unknown, Facts>;
}

/** Creates the file that keeps the last good answer of a service for the next start. */
export function createCatalogueFile<Facts>({
  stateDirectory,
  provider,
  source,
  facts,
}: Deps<Facts>) {
  const folder = join(stateDirectory, 'catalogue');
  const path = join(folder, `${provider}.json`);
  const Content = v.object({
    version: v.literal(1),
    source: v.literal(source),
    checked_at_ms: v.number(),
    missing_since_ms: v.record(v.string(), v.number()),
    models: v.record(v.string(), facts),
    offers: v.optional(v.record(v.string(), v.array(Offer)), {}),
  });

  return {
    /** Returns the kept catalogue. A file that is absent, damaged or of another service is an empty catalogue. */
    read(): CatalogueState<Facts> {
      const file = readRegularFileNow(path, { maxBytes: MAX_BYTES });
      const parsed =
        'problem' in file ? undefined : v.safeParse(Content, parseJson(file.bytes.toString()));
      if (!parsed?.success) return emptyCatalogue();
      const { models, offers, missing_since_ms: missing } = parsed.output;
      const { checked_at_ms: checkedAtMs } = parsed.output;
      return {
        models: new Map(Object.entries(models)),
        offers: new Map(Object.entries(offers)),
        missingSinceMs: new Map(Object.entries(missing)),
        checkedAtMs,
      };
    },

    /** Replaces the file. Throws the error of the file system. */
    async save(state: CatalogueState<Facts>): Promise<void> {
      const { models, offers, missingSinceMs, checkedAtMs } = state;
      mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
      const content = {
        version: 1,
        source,
        checked_at_ms: checkedAtMs ?? 0,
        missing_since_ms: Object.fromEntries(missingSinceMs),
        models: Object.fromEntries(models),
        offers: Object.fromEntries(offers),
      };
      await saveFile(path, JSON.stringify(content), { replaces: true, mode: OWNER_FILE });
    },
  };
}
