import type { Field, Section } from '../values/field.ts';
import { PROVIDER_NAMES, type ProviderName } from './provider-names.ts';

type Fields = Readonly<Record<string, Field<unknown>>>;

/**
 * The same settings once for each registered provider, under its name. What is not set for a provider has the value of
 * the field of the same name in the section `inherits`.
 */
export function perProvider<const E extends Fields>(
  inherits: string,
  { entries }: Section<E>,
): Section<{ readonly [N in ProviderName]: Section<E> }> {
  const inheriting = Object.fromEntries(
    Object.entries(entries).map(([key, field]) => [
      key,
      { ...field, inherits: `${inherits}.${key}` },
    ]),
  );
  const sections = Object.fromEntries(
    PROVIDER_NAMES.map((name) => [name, { kind: 'section', entries: inheriting }]),
  );
  return {
    kind: 'section',
    perProvider: true,
    // `fromEntries` forgets the keys; they are all the names, and those of `entries`.
    entries: sections as { readonly [N in ProviderName]: Section<E> },
  };
}
