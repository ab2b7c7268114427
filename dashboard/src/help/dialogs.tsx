import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { Switch } from '../controls/inputs.tsx';
import { singleKeys } from '../shell/preferences.ts';
import { BreakableName } from '../system/breakable-name.tsx';
import { type TextKey, text } from '../text/text.ts';
import './dialogs.css';

interface Row {
  readonly does: TextKey;
  readonly keys: readonly string[];
}

const MOD = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** Shortcuts, grouped by the view in which they work. */
const SECTIONS: readonly { readonly title: TextKey; readonly rows: readonly Row[] }[] = [
  {
    title: 'help.anywhere',
    rows: [
      { does: 'help.make', keys: [MOD, '↵'] },
      { does: 'help.prompt', keys: ['P'] },
      { does: 'help.search', keys: ['/'] },
      { does: 'help.views', keys: ['G', 'I', 'S'] },
      { does: 'make.fold', keys: ['['] },
      { does: 'queue.title', keys: ['Q'] },
      { does: 'action.undo', keys: ['Z'] },
      { does: 'help.help', keys: ['?'] },
    ],
  },
  {
    title: 'app.images',
    rows: [
      { does: 'help.move', keys: ['←', '→', '↑', '↓', '↵', 'Esc'] },
      { does: 'help.select', keys: ['X', 'Shift', '→'] },
      { does: 'help.selectAll', keys: [MOD, 'A'] },
      { does: 'help.favourite', keys: ['F', 'H'] },
      { does: 'help.delete', keys: ['Del'] },
      { does: 'help.again', keys: ['E', 'R'] },
      { does: 'help.download', keys: ['D', 'C'] },
      { does: 'table.title', keys: ['L'] },
    ],
  },
  {
    title: 'help.job',
    rows: [
      { does: 'help.neighbours', keys: ['←', '→'] },
      { does: 'help.outputs', keys: ['↑', '↓'] },
      { does: 'help.layouts', keys: ['1', '2', '3', '4'] },
      { does: 'job.swap', keys: ['S'] },
      { does: 'job.one.vary', keys: ['V'] },
      { does: 'job.one.refine', keys: ['E'] },
      { does: 'job.one.refer', keys: ['U'] },
      { does: 'help.family', keys: ['T', '←', '→', '↑', '↓'] },
      { does: 'help.familyCompare', keys: ['A', 'B'] },
      { does: 'help.zoom', keys: ['+', '−', '0'] },
    ],
  },
  {
    title: 'table.title',
    rows: [
      { does: 'help.table.move', keys: ['←', '→', '↑', '↓', '1', '–', '9'] },
      { does: 'help.table.choose', keys: ['P', 'X', 'Z'] },
      { does: 'job.one.favourite', keys: ['F'] },
      { does: 'help.table.look', keys: ['Space', 'I'] },
      { does: 'help.zoom', keys: ['+', '−', '0'] },
    ],
  },
  {
    title: 'race',
    rows: [
      { does: 'help.move', keys: ['←', '→', '↑', '↓', '↵'] },
      { does: 'help.race.choose', keys: ['1', '–', '6'] },
    ],
  },
  {
    title: 'queue.title',
    rows: [
      { does: 'help.queueMove', keys: ['Alt', '↑', '↓'] },
      { does: 'queue.first', keys: ['Alt', 'Home'] },
      { does: 'help.queueSelect', keys: ['Space', 'Shift', '↓'] },
      { does: 'help.queueCancel', keys: ['Del'] },
    ],
  },
  {
    title: 'canvas.open.short',
    rows: [
      { does: 'help.brush', keys: ['B', 'E', 'L', 'R'] },
      { does: 'mask.move', keys: [text('key.space')] },
      { does: 'help.brushSize', keys: ['[', ']'] },
      { does: 'mask.invert', keys: ['I'] },
      { does: 'help.handle', keys: ['←', '→', '↑', '↓', 'Shift'] },
    ],
  },
];

/** Lists all keyboard shortcuts, and shows the switch for single-key shortcuts. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog class="shortcuts-dialog" title={text('app.shortcuts')} onClose={onClose}>
      <div class="sections">
        {SECTIONS.map(({ title, rows }) => (
          <section key={title}>
            <h3>{text(title)}</h3>
            <dl>
              {rows.map(({ does, keys }) => (
                <div key={does}>
                  <dt>{text(does)}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="single row">
        <span>
          {text('help.single')}
          <small>{text('help.single.detail')}</small>
        </span>
        <Switch
          label={text('help.single')}
          on={singleKeys.value === 'on'}
          onChange={(on) => {
            singleKeys.value = on ? 'on' : 'off';
          }}
        />
      </div>
    </Dialog>
  );
}

/** Explains in three steps how to use a real model instead of the sandbox. */
export function RealModelDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog class="real-model-dialog" title={text('help.real')} onClose={onClose}>
      <p class="soft">{text('help.real.text')}</p>
      <ol class="steps stack">
        <li>
          <p>
            {text('system.step.login')}
            <code class="mono">codex login</code>
          </p>
        </li>
        <li>{text('help.real.step2')}</li>
        <li>{text('help.real.step3')}</li>
      </ol>
      <p>
        {text('help.real.key')}
        <code class="mono">
          <BreakableName name="providers.openai_images.openai.api_key_env" />
        </code>
      </p>
      <div class="ends">
        <Button look="primary" onClick={onClose}>
          {text('help.real.done')}
        </Button>
      </div>
    </Dialog>
  );
}
