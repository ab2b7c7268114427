import { ArrowUp, ImagePlus } from 'lucide';
import { Icon } from '../controls/icon.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import { useSubmit } from './use-submit.ts';
import './dock.css';

/**
 * Shows the draft as one line below the images if the panel is hidden, on narrow screens or collapsed. A press opens
 * the draft. The draft can also be sent from here.
 */
export function Dock() {
  const { draft, router, panel } = usePage();
  const { canSubmit, submit } = useSubmit();
  const prompt = draft.settings.value.prompt?.trim();
  const count = draft.settings.value.parameters?.n ?? 1;
  return (
    <div class="dock float">
      <button
        type="button"
        class="open"
        onClick={() => {
          if (matchMedia('(min-width: 900px)').matches) panel.toggle();
          else router.openLayer('make');
        }}
      >
        <Icon of={ImagePlus} />
        <span class={prompt ? 'cut' : 'cut faint'}>
          {prompt || text('make.prompt.placeholder')}
        </span>
      </button>
      <button
        type="button"
        class="go"
        aria-label={text('make.submit', { count })}
        disabled={!canSubmit}
        onClick={submit}
      >
        <Icon of={ArrowUp} />
      </button>
    </div>
  );
}
