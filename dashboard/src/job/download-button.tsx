import { Download, Image, Images } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { Menu } from '../controls/menu.tsx';
import { MenuItem } from '../controls/menu-item.tsx';
import { formatBytes, text } from '../text/text.ts';
import { useJobActions } from './state/actions-context.ts';
import { imageText } from './state/image-text.ts';
import { useLook } from './state/look-context.ts';

/** Saves the image; of several, the one in view or all of them. */
export function DownloadButton() {
  const { images, looking } = useLook();
  const { download, downloadAll } = useJobActions();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  const outputs = images.filter(({ kind }) => kind === 'output');
  const [first] = outputs;
  if (first === undefined) return null;
  const shown = outputs.find((each) => each === looking.b) ?? first;
  const isMany = outputs.length > 1;
  const choose = (run: () => void) => () => {
    setOpened(false);
    run();
  };
  return (
    <>
      <Button
        look="primary"
        icon={Download}
        buttonRef={button}
        aria-label={text('job.download')}
        {...(isMany && { 'aria-haspopup': 'menu' as const, 'aria-expanded': isOpened })}
        onClick={() => (isMany ? setOpened(!isOpened) : void download(first))}
      >
        <span class="wide-text">{text('job.download')}</span>
      </Button>
      {isOpened && (
        <Menu
          anchor={button}
          label={text('job.download')}
          placement="bottom-end"
          onClose={() => setOpened(false)}
        >
          <MenuItem
            icon={Image}
            end={<span class="faint num">{formatBytes(shown.bytes)}</span>}
            onChoose={choose(() => void download(shown))}
          >
            {imageText(shown)}
          </MenuItem>
          <MenuItem
            icon={Images}
            end={
              <span class="faint num">
                {formatBytes(outputs.reduce((sum, { bytes }) => sum + bytes, 0))}
              </span>
            }
            onChoose={choose(() => void downloadAll(outputs))}
          >
            {text('job.download.all', { count: outputs.length })}
          </MenuItem>
        </Menu>
      )}
    </>
  );
}
