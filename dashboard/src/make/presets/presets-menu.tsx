import { Bookmark } from 'lucide';
import { Button } from '../../controls/button.tsx';
import { Menu, useMenu } from '../../controls/menu.tsx';
import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { attempt } from '../../shell/toasts.ts';
import { text } from '../../text/text.ts';

const PresetChoices = lazyView(async () => (await import('./preset-choices.tsx')).PresetChoices);

export function PresetsMenu() {
  const { presets, toasts } = usePage();
  const { isOpen, close, button, menu } = useMenu('dialog');
  return (
    <>
      <Button
        {...button}
        look="quiet"
        size="small"
        icon={Bookmark}
        onClick={() => {
          button.onClick();
          if (!isOpen) void attempt(toasts, presets.read);
        }}
      >
        {text('presets.title')}
      </Button>
      {isOpen && (
        <Menu {...menu} class="presets-menu" placement="bottom-end" label={text('presets.title')}>
          <PresetChoices onDone={close} />
        </Menu>
      )}
    </>
  );
}
