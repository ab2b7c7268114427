import type { PresetTemplate } from '../../api/schemas.ts';
import { usePage } from '../../page-context.ts';
import type { SettingsGroup } from '../draft.ts';

type Members<G extends SettingsGroup> = NonNullable<PresetTemplate[G]>;
type Member<G extends SettingsGroup, K extends keyof Members<G>> = NonNullable<Members<G>[K]>;

/**
 * Returns one member of a settings group of the draft, and a function to change it. `undefined` is the default of the
 * bridge.
 */
export function useSetting<G extends SettingsGroup, K extends keyof Members<G>>(
  group: G,
  name: K,
): readonly [Member<G, K> | undefined, (next: Member<G, K> | undefined) => void] {
  const { draft } = usePage();
  // TypeScript does not narrow a union of groups by a type parameter.
  const members = (draft.settings.value[group] ?? {}) as Partial<Record<keyof Members<G>, unknown>>;
  return [
    (members[name] ?? undefined) as Member<G, K> | undefined,
    (next) => {
      // TypeScript does not infer that an object with one computed member is part of the group.
      draft.set(group, { [name]: next } as Parameters<typeof draft.set<G>>[1]);
    },
  ];
}
