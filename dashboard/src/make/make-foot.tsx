import { Button } from '../controls/button.tsx';
import { Stepper } from '../controls/stepper.tsx';
import { usePage } from '../page-context.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { text } from '../text/text.ts';
import { PlanLine } from './plan-line.tsx';
import { useSubmit } from './use-submit.ts';
import './make-foot.css';

/** What will happen, how many, and the one button. It stays in sight while the settings scroll. */
export function MakeFoot() {
  const { draft, chosen } = usePage();
  const { canSubmit, submit } = useSubmit();
  const count = draft.settings.value.parameters?.n ?? 1;
  const limits = chosen.value?.capabilities?.count;
  useShortcuts({ '$mod+Enter': () => submit() });
  return (
    <footer class="make-foot">
      <PlanLine />
      <div class="make-go">
        <Stepper
          label={text('make.count')}
          fewer={text('make.count.fewer')}
          more={text('make.count.more')}
          value={count}
          min={limits?.min ?? 1}
          max={limits?.max ?? 255}
          onChange={(n) => draft.set('parameters', { n: n === 1 ? undefined : n })}
        />
        <Button look="primary" size="big" disabled={!canSubmit} onClick={() => submit()}>
          {text('make.submit', { count })}
          <kbd class="only-wide">
            {text(isApple() ? 'make.submit.key.apple' : 'make.submit.key')}
          </kbd>
        </Button>
      </div>
    </footer>
  );
}

function isApple(): boolean {
  return /Mac|iP(hone|ad)/.test(navigator.userAgent);
}
