import { useEffect, useState } from 'preact/hooks';
import { type Attachment, firstSource } from '../make/draft.ts';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import type { MaskEditor } from './mask-editor.tsx';

/** Shows the mask editor while its history entry is current. The code of the editor is loaded on first use. */
export function MaskLayer() {
  const { router, draft } = usePage();
  const source = firstSource(draft.attachments.value);
  if (router.layer.value !== 'mask' || source === undefined) return null;
  return <LoadedEditor key={source.key} source={source} />;
}

function LoadedEditor({ source }: { readonly source: Attachment }) {
  const { router, toasts } = usePage();
  const [Editor, setEditor] = useState<typeof MaskEditor>();
  useEffect(() => {
    import('./mask-editor.tsx').then(
      (module) => setEditor(() => module.MaskEditor),
      () => {
        toasts.show({
          kind: 'failed',
          text: text('app.outdated'),
          action: { label: text('app.reload'), run: () => location.reload() },
        });
        router.back();
      },
    );
  }, [router, toasts]);
  return Editor === undefined ? null : <Editor source={source} />;
}
