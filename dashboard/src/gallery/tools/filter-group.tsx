import { Check } from 'lucide';
import type { ComponentChildren } from 'preact';
import { MenuGroup, MenuItem } from '../../controls/menu.tsx';
import { text } from '../../text/text.ts';

/** A change of the filter is a step in the history of the browser. */
export const STEP = { isStep: true } as const;

interface FilterGroupProps {
  readonly title: string;
  readonly options: readonly (readonly [value: string, label: ComponentChildren])[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

/** Renders the choices of one filter, of which at most one is chosen. */
export function FilterGroup({ title, options, chosen, onChoose }: FilterGroupProps) {
  const all = [[undefined, text('gallery.any')] as const, ...options];
  return (
    <MenuGroup title={title}>
      {all.map(([value, label]) => (
        <MenuItem
          key={value ?? ''}
          role="menuitemradio"
          selected={value === chosen}
          {...(value === chosen && { icon: Check })}
          onChoose={() => onChoose(value)}
        >
          {label}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}
