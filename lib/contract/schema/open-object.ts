import * as v from 'valibot';
import { runKnown } from './closed-object.ts';
import { coded } from './issues.ts';
import { isLongerThan } from './text.ts';

/** The limits of a form: number of parts, bytes of the head of a part, bytes of a name. */
export const FORM_LIMITS = { maxParts: 256, maxPartHeadBytes: 16_384, maxNameBytes: 128 } as const;

// Names are limited because the reply lists the unknown names. The names in a form have the same limit.
const { maxNameBytes: MAX_NAME_BYTES } = FORM_LIMITS;

/** The parsed known fields of an open object, and the names of the unknown fields. */
export interface OpenFields<E extends v.ObjectEntries> {
  readonly fields: v.InferOutput<v.ObjectSchema<E, undefined>>;
  readonly unknown: readonly string[];
}

/**
 * Creates the schema of an object that accepts unknown fields and returns their names. Only the OpenAI-compatible routes use
 * open objects, because a newer client may send fields that the bridge does not know. `null` for an optional field means the
 * same as omitting the field.
 */
export function openObject<const E extends v.ObjectEntries>(entries: E) {
  const known = v.object(entries);
  const keywords = v.looseObject(entries);
  // `entries` and the type are used by the documents. The replaced `~run` returns the fields and the unknown names
  // separately.
  return Object.assign(
    keywords as unknown as v.GenericSchema<
      v.InferInput<v.ObjectSchema<E, undefined>>,
      OpenFields<E>
    >,
    {
      entries,
      takesNull: true,
      '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
        const { result, unknown } = runKnown(known, dataset.value, config);
        const [long, ...others] = unknown.filter(isLongName).map(longName);
        if (long) {
          const issues: Issues = [long, ...others, ...(result.issues ?? [])];
          return { typed: false as const, value: undefined, issues };
        }
        return result.typed ? { ...result, value: { fields: result.value, unknown } } : result;
      },
    },
  );
}

type Issues = [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]];

function isLongName(name: string): boolean {
  return isLongerThan(name, MAX_NAME_BYTES);
}

function longName(key: string): v.BaseIssue<unknown> {
  return {
    kind: 'validation',
    type: 'max_bytes',
    input: undefined,
    expected: null,
    received: 'more',
    message: coded('invalid_length', `must have a name of at most ${MAX_NAME_BYTES} bytes`),
    path: [{ type: 'object', origin: 'value', input: {}, key, value: undefined }],
  };
}
