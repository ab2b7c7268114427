import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { BreakableName } from '../system/breakable-name.tsx';
import { text } from '../text/text.ts';
import './real-model-dialog.css';

/** From rehearsals to images of a real model, in three steps. */
export function RealModelDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog class="real-model-dialog" title={text('help.real')} onClose={onClose}>
      <p class="soft">{text('help.real.text')}</p>
      <ol>
        <li>
          <p>
            {text('help.real.step1')}
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
