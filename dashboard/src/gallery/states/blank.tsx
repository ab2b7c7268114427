import { ArrowRight, type IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import type { PresetTemplate } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { isRehearsal } from '../../make/model-abilities.ts';
import { openPrompt } from '../../make/open-prompt.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import './blank.css';

interface BlankProps {
  readonly icon: IconNode;
  /** The class of the icon's colour. */
  readonly tone?: string;
  readonly title: string;
  readonly detail: string;
  /** `alert` if the text is announced when it appears. */
  readonly role?: 'alert';
  readonly children?: ComponentChildren;
}

/** Explains why there is nothing to show, and offers the next action. */
export function Blank({ icon, tone = 'faint', title, detail, role, children }: BlankProps) {
  return (
    <div class="blank stack">
      <Icon of={icon} class={tone} />
      <div class="stack" role={role}>
        <h2>{title}</h2>
        <p class="soft">{detail}</p>
      </div>
      {children}
    </div>
  );
}

interface Attempt {
  readonly name: 'harbour' | 'bird' | 'valley';
  readonly parameters: NonNullable<PresetTemplate['parameters']>;
}

/** Frames in common shapes, by width divided by height. Three frames contain an example prompt. */
const FRAMES: readonly (readonly [ratio: number, attempt?: Attempt])[] = [
  [3 / 2, { name: 'harbour', parameters: { size: '1536x1024' } }],
  [2 / 3],
  [1, { name: 'bird', parameters: { background: 'transparent' } }],
  [3 / 2],
  [1],
  [16 / 9, { name: 'valley', parameters: { size: '2048x1152' } }],
  [2 / 3],
  [3 / 2],
  [2 / 3],
  [3 / 2],
  [3 / 2],
  [1],
];

/** Shows the empty gallery. Explains the first step and the sandbox. */
export function FirstMinute() {
  const { providers, help } = usePage();
  const main = providers.list.value?.find((provider) => provider.default);
  return (
    <div class="first-minute scroll stack">
      <h2>{text('gallery.first')}</h2>
      <p>
        {text('gallery.first.text')}
        {main && isRehearsal(main.name) && (
          <>
            {' '}
            {text('gallery.first.sandbox')}{' '}
            <button
              type="button"
              class="text-button"
              onClick={() => {
                help.value = 'realModel';
              }}
            >
              {text('help.real')}
            </button>
          </>
        )}
      </p>
      <div class="frames">
        {FRAMES.map(([ratio, attempt], index) =>
          attempt ? (
            <Try key={index} ratio={ratio} {...attempt} />
          ) : (
            <i key={index} style={{ '--r': String(ratio) }} />
          ),
        )}
      </div>
    </div>
  );
}

function Try({ ratio, name, parameters }: Attempt & { readonly ratio: number }) {
  const page = usePage();
  const prompt = text(`gallery.try.${name}`);
  const { size } = parameters;
  return (
    <button
      type="button"
      class="stack"
      style={{ '--r': String(ratio) }}
      onClick={() => {
        page.draft.apply({ prompt, parameters });
        openPrompt(page.router);
      }}
    >
      <span>{prompt}</span>
      <small class="num row">
        {size ? size.replace('x', ' × ') : text('make.background.transparent')}
        <Icon of={ArrowRight} />
      </small>
    </button>
  );
}
