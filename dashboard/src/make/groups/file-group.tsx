import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { Group } from './group.tsx';

const FileSettings = lazyView(async () => (await import('./file-settings.tsx')).FileSettings);

/** How the images are stored. */
export function FileGroup() {
  const { parameters, output } = usePage().draft.settings.value;
  const parts = [
    text(`make.format.${parameters?.output_format ?? 'png'}`),
    text(`make.record.${output?.metadata ?? 'none'}.short`),
  ];
  return (
    <Group title={text('make.file')} value={parts.join(text('list.separator'))}>
      <FileSettings />
    </Group>
  );
}
