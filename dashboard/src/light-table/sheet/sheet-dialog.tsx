import { Download } from 'lucide';
import { useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { Segmented } from '../../controls/inputs.tsx';
import { offer } from '../../gallery/actions/save-images.ts';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/toasts.ts';
import { text } from '../../text/text.ts';
import type { LightTable, TableImage } from '../table-state.ts';
import { drawSheet, type SheetFormat } from './draw-sheet.ts';
import { SHEETS, type SheetName } from './sheet-layout.ts';

const NAMES = Object.keys(SHEETS) as SheetName[];

interface Props {
  readonly table: LightTable;
  readonly images: readonly TableImage[];
  readonly onClose: () => void;
}

/** Saves the images on the table, or the picked ones, as one page with their numbers and prompts. */
export function SheetDialog({ table, images, onClose }: Props) {
  const page = usePage();
  const [sheet, setSheet] = useState<SheetName>('a4');
  const [which, setWhich] = useState<'all' | 'picked'>('all');
  const [isDrawing, setDrawing] = useState(false);
  const numbered = images.map((one, index) => ({ ...one, number: index + 1 }));
  const picked = numbered.filter(({ id }) => table.choices.value.get(id) === 'picked');
  const isChoice = picked.length > 0 && picked.length < images.length;

  async function save(format: SheetFormat): Promise<void> {
    setDrawing(true);
    await attempt(page.toasts, async () => {
      const drawn = which === 'picked' && isChoice ? picked : numbered;
      const { blob, missing } = await drawSheet(page, drawn, { sheet, format });
      if (blob !== undefined) offer(blob, `contact-sheet-${drawn.length - missing}.${format}`);
      if (missing > 0) {
        page.toasts.show({ kind: 'failed', text: text('gallery.missing', { count: missing }) });
      }
      onClose();
    });
    setDrawing(false);
  }

  return (
    <Dialog title={text('table.sheet')} onClose={onClose}>
      {isChoice && (
        <Segmented
          wide
          label={text('table.sheet.which')}
          value={which}
          options={[
            { value: 'all', label: text('table.sheet.all', { count: images.length }) },
            { value: 'picked', label: text('table.sheet.picked', { count: picked.length }) },
          ]}
          onChange={setWhich}
        />
      )}
      <Segmented
        wide
        label={text('table.sheet.page')}
        value={sheet}
        options={NAMES.map((value) => ({ value, label: text(`table.sheet.${value}`) }))}
        onChange={setSheet}
      />
      <p class="hint">{text('table.sheet.hint')}</p>
      <div class="ends">
        <Button look="quiet" onClick={onClose}>
          {text('action.cancel')}
        </Button>
        <Button disabled={isDrawing} onClick={() => void save('png')}>
          {text('table.sheet.save', { format: 'PNG' })}
        </Button>
        <Button
          look="primary"
          icon={Download}
          disabled={isDrawing}
          onClick={() => void save('pdf')}
        >
          {text('table.sheet.save', { format: 'PDF' })}
        </Button>
      </div>
    </Dialog>
  );
}
