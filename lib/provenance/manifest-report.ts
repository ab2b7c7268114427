import * as v from 'valibot';
import { MAX_MANIFEST_TEXT_CHARS, type Verdict } from '../contract/reply/provenance.ts';
import type {
  ActionReport,
  IngredientReport,
  ManifestReport,
} from '../contract/resources/artifact-credentials.ts';

/** Credentials as a reader sees them. `manifest` is the active manifest, undefined unless the credentials are readable. */
export interface CredentialReport {
  readonly state: Verdict;
  readonly manifest?: ManifestReport;
}

/** The levels of ingredients in a report. */
const MAX_DEPTH = 8;
/** The number of manifests in a report. Without this limit, ingredients that share ingredients would multiply. */
const MAX_MANIFESTS = 256;
/** The number of actions, and of ingredients, of one manifest in a report. */
const MAX_ITEMS = 100;

const Text = v.fallback(v.optional(v.string()), undefined);

/** The name and the version of a program. Before version 2 of the actions, a program was a text. */
const Software = v.fallback(
  v.optional(v.union([v.string(), v.object({ name: v.string(), version: Text })])),
  undefined,
);

const Action = v.object({
  action: v.string(),
  digitalSourceType: Text,
  softwareAgent: Software,
});

const Assertion = v.object({ label: v.string(), data: v.unknown() });

const Actions = v.object({ actions: v.array(v.unknown()) });

const Ingredient = v.object({
  relationship: Text,
  title: Text,
  format: Text,
  active_manifest: Text,
});

const Manifest = v.object({
  claim_generator: Text,
  claim_generator_info: v.fallback(v.array(v.unknown()), []),
  signature_info: v.fallback(v.object({ issuer: Text }), {}),
  assertions: v.fallback(v.array(v.unknown()), []),
  ingredients: v.fallback(v.array(v.unknown()), []),
});

type Manifest = v.InferOutput<typeof Manifest>;

/** The results for the active manifest, which do not depend on its ingredients. */
const Results = v.object({
  activeManifest: v.object({ success: v.array(v.object({ code: v.string() })) }),
});

const Store = v.object({
  active_manifest: v.string(),
  manifests: v.record(v.string(), v.unknown()),
  validation_state: v.picklist(['Trusted', 'Valid', 'Invalid']),
  validation_results: v.fallback(v.optional(Results), undefined),
});

const STATES = { Trusted: 'trusted', Valid: 'valid', Invalid: 'invalid' } as const;

/** Returns the report for an image whose credentials the library does not read. `error` is the text that the library throws. */
export function toUnreadReport(error: unknown): CredentialReport {
  const text = String(error);
  if (text.startsWith('C2pa(JumbfNotFound')) return { state: 'none' };
  return { state: text.startsWith('C2pa(RemoteManifestUrl(') ? 'link' : 'unreadable' };
}

/** Parses the JSON of a manifest store that the library has read. Anything unexpected is omitted or `unreadable`. */
export function toReport(json: string): CredentialReport {
  const store = v.safeParse(Store, JSON.parse(json));
  if (!store.success) return { state: 'unreadable' };
  const { active_manifest: active, manifests } = store.output;
  let left = MAX_MANIFESTS;

  function reportOf(label: string, depth: number): ManifestReport | undefined {
    const manifest = v.safeParse(Manifest, manifests[label]);
    if (!manifest.success || left === 0) return undefined;
    left -= 1;
    const { signature_info, assertions } = manifest.output;
    return {
      ...optional('signer', signature_info.issuer),
      ...optional('generator', generatorOf(manifest.output)),
      actions: assertions.flatMap(actionsOf).slice(0, MAX_ITEMS),
      ingredients: ingredientsOf(manifest.output, depth),
    };
  }

  function ingredientsOf({ ingredients }: Manifest, depth: number): readonly IngredientReport[] {
    return parsed(Ingredient, ingredients.slice(0, MAX_ITEMS)).map(
      ({ relationship, title, format, active_manifest: label }) => {
        const manifest =
          label === undefined || depth === MAX_DEPTH ? undefined : reportOf(label, depth + 1);
        return {
          relationship: shortened(relationship ?? 'unknown'),
          ...optional('title', title),
          ...optional('format', format),
          ...(manifest ? { manifest } : {}),
        };
      },
    );
  }

  const manifest = reportOf(active, 0);
  return { state: stateOf(store.output), ...(manifest ? { manifest } : {}) };
}

/**
 * Returns the state of the active manifest. The library calls a valid image `Valid` if the signer of an ingredient is unknown, although
 * its own signer is trusted.
 */
function stateOf({
  validation_state: state,
  validation_results: results,
}: v.InferOutput<typeof Store>) {
  const codes = results?.activeManifest.success.map(({ code }) => code) ?? [];
  return state === 'Valid' && codes.includes('signingCredential.trusted')
    ? 'trusted'
    : STATES[state];
}

/** Returns the actions of an assertion. Assertions of other kinds have no actions. */
function actionsOf(assertion: unknown): readonly ActionReport[] {
  const { label = '', data } = parsed(Assertion, [assertion])[0] ?? {};
  if (!/^c2pa\.actions(\.v2)?(__\d+)?$/.test(label)) return [];
  const actions = parsed(Actions, [data]).flatMap((it) => it.actions.slice(0, MAX_ITEMS));
  return parsed(Action, actions).map(({ action, digitalSourceType, softwareAgent }) => ({
    action: shortened(action),
    ...optional('source_type', digitalSourceType),
    ...optional('software', softwareOf(softwareAgent)),
  }));
}

function generatorOf({ claim_generator_info: [software], claim_generator: old }: Manifest) {
  return softwareOf(v.parse(Software, software)) ?? old;
}

function softwareOf(software: v.InferOutput<typeof Software>): string | undefined {
  if (software === undefined || typeof software === 'string') return software;
  return [software.name, software.version].filter(Boolean).join(' ');
}

function parsed<S extends v.GenericSchema>(schema: S, values: readonly unknown[]) {
  return values.flatMap((value) => {
    const { success, output } = v.safeParse(schema, value);
    return success ? [output as v.InferOutput<S>] : [];
  });
}

function optional<K extends string>(key: K, value: string | undefined) {
  return (value === undefined ? {} : { [key]: shortened(value) }) as { readonly [P in K]?: string };
}

/** Removes control characters, which a terminal would execute, and shortens a text of a stranger. */
function shortened(text: string): string {
  return [...text.slice(0, 4 * MAX_MANIFEST_TEXT_CHARS).replaceAll(/\p{C}/gu, '')]
    .slice(0, MAX_MANIFEST_TEXT_CHARS)
    .join('');
}
