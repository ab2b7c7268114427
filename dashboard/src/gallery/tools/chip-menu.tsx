import { useEffect, useRef } from 'preact/hooks';
import { MenuItem } from '../../controls/menu.tsx';
import { useKnownLabels } from '../../labels/known-labels.ts';
import { usePage } from '../../page-context.ts';
import { formatNumber, text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import { FilterGroup, STEP } from './filter-group.tsx';
import { type ChipName, toDate } from './filter-values.ts';
import './chip-menu.css';

interface ChipMenuProps {
  readonly name: ChipName;
  readonly onClose: () => void;
}

/** Renders the choices of one filter. */
export function ChipMenu({ name, onClose }: ChipMenuProps) {
  const box = useRef<HTMLDivElement>(null);
  // The menu moved the focus before its code was loaded.
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('button, input')?.focus();
  }, []);
  const Choices = CHOICES[name];
  return (
    <div ref={box}>
      <Choices onClose={onClose} />
    </div>
  );
}

const CHOICES = {
  model: ModelChoices,
  size: SizeChoices,
  operation: OperationChoices,
  label: LabelChoices,
  date: DateChoices,
} as const;

function ModelChoices() {
  const { router, providers } = usePage();
  const { model } = useGallery().state.filter.value;
  const listed = (providers.list.value ?? []).flatMap(({ models }) => models ?? []);
  const models = new Set([...listed, ...(model === undefined ? [] : [model])]);
  return (
    <FilterGroup
      title={text('gallery.chip.model')}
      options={[...models].map((each) => [each, each])}
      chosen={model}
      onChoose={(next) => router.setQuery({ model: next }, STEP)}
    />
  );
}

const RATIOS = ['1:1', '5:4', '4:3', '3:2', '16:9', '21:9', '4:5', '3:4', '2:3', '9:16'];

function SizeChoices() {
  const { router } = usePage();
  const { size } = useGallery().state.filter.value;
  const all = size === undefined || RATIOS.includes(size) ? RATIOS : [size, ...RATIOS];
  return (
    <FilterGroup
      title={text('gallery.chip.size')}
      options={all.map((each) => [each, <Ratio key={each} of={each} />])}
      chosen={size}
      onChoose={(next) => router.setQuery({ size: next }, STEP)}
    />
  );
}

/** Draws a ratio before its numbers. */
function Ratio({ of }: { readonly of: string }) {
  const [width = 1, height = 1] = of.split(/[x:]/).map(Number);
  return (
    <span class="ratio row">
      <i style={{ aspectRatio: `${width} / ${height}` }} data-tall={height > width} />
      {of.replace('x', ' × ')}
    </span>
  );
}

function OperationChoices() {
  const { router } = usePage();
  const { operation } = useGallery().state.filter.value;
  return (
    <FilterGroup
      title={text('gallery.chip.operation')}
      options={(['generate', 'edit'] as const).map((each) => [
        each,
        text(`gallery.operation.${each}`),
      ])}
      chosen={operation}
      onChoose={(next) => router.setQuery({ operation: next }, STEP)}
    />
  );
}

function LabelChoices() {
  const { router } = usePage();
  const { label } = useGallery().state.filter.value;
  const labels = useKnownLabels();
  if (labels?.length === 0 && label === undefined) {
    return <p class="chip-note soft">{text('gallery.labels.none')}</p>;
  }
  const known = labels ?? [];
  const all =
    label === undefined || known.some((each) => each.label === label)
      ? known
      : [{ label, count: undefined }, ...known];
  return (
    <FilterGroup
      title={text('gallery.chip.label')}
      options={all.map((each) => [
        each.label,
        <span key={each.label} class="counted-choice row">
          <span class="cut grow">{each.label}</span>
          {each.count !== undefined && <small class="num">{formatNumber(each.count)}</small>}
        </span>,
      ])}
      chosen={label}
      onChoose={(next) => router.setQuery({ label: next }, STEP)}
    />
  );
}

const SPANS = [
  ['today', 0, 0],
  ['yesterday', -1, -1],
  ['week', -6, 0],
  ['month', -29, 0],
] as const;

function DateChoices({ onClose }: Pick<ChipMenuProps, 'onClose'>) {
  const { router, today } = usePage();
  const { from = '', to = '' } = useGallery().state.filter.value;
  const dateOf = (days: number) => toDate(today.value, days);
  const field = (name: 'from' | 'to', value: string) => (
    <label class="date-field">
      <span class="soft">{text(`gallery.date.${name}`)}</span>
      <input
        type="date"
        class="select edged"
        value={value}
        max={dateOf(0)}
        onChange={(event) => router.setQuery({ [name]: event.currentTarget.value }, STEP)}
      />
    </label>
  );
  return (
    <div class="date-choices">
      <div class="row">
        {SPANS.map(([name, first, last]) => (
          <MenuItem
            key={name}
            onChoose={() => {
              onClose();
              router.setQuery({ from: dateOf(first), to: dateOf(last) }, STEP);
            }}
          >
            {text(`gallery.date.${name}`)}
          </MenuItem>
        ))}
      </div>
      <div class="row">
        {field('from', from)}
        {field('to', to)}
      </div>
    </div>
  );
}
