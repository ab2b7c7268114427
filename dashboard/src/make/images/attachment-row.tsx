import { Brush, ChevronDown, Crop, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Menu, MenuItem, useMenu } from '../../controls/menu.tsx';
import { useImage } from '../../images/use-image.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import type { Attachment } from '../draft.ts';
import { changeImages } from './attachments.ts';
import './attachment-row.css';

interface AttachmentProps {
  readonly attachment: Attachment;
  /** True for the image that an edit changes, which may have a canvas and a mask. */
  readonly isEdited: boolean;
}

/** Renders an image of the draft with its role, its mask and a button to remove it. */
export function AttachmentRow({ attachment, isEdited }: AttachmentProps) {
  const { draft, router, undo } = usePage();
  const { key, name } = attachment;
  return (
    <li class="attachment-row edged">
      <div class="row">
        <AttachmentImage attachment={attachment} />
        <div class="grow">
          <p class="cut" title={name}>
            <bdi>{name}</bdi>
          </p>
          <RoleMenu attachment={attachment} />
        </div>
        <IconButton
          small
          icon={X}
          label={text('make.remove', { name })}
          onClick={() => undo.offer(text('make.removed', { name }), draft.removeAttachment(key))}
        />
      </div>
      {isEdited && (
        <div class="changes row">
          <CanvasButton attachment={attachment} />
          <MaskButton onOpen={() => router.openLayer('mask')} />
        </div>
      )}
    </li>
  );
}

function RoleMenu({ attachment: { key, role } }: { readonly attachment: Attachment }) {
  const page = usePage();
  const { isOpen, button, menu } = useMenu();
  return (
    <>
      <button {...button} type="button" class="role">
        {text(`make.role.${role}`)}
        <Icon small of={ChevronDown} />
      </button>
      {isOpen && (
        <Menu {...menu} label={text('make.role')}>
          {(['source', 'reference'] as const).map((each) => (
            <MenuItem
              key={each}
              role="menuitemradio"
              selected={each === role}
              detail={text(`make.role.${each}.detail`)}
              onChoose={() => changeImages(page, () => page.draft.setRole(key, each))}
            >
              {text(`make.role.${each}`)}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
}

function CanvasButton({ attachment }: { readonly attachment: Attachment }) {
  const { router } = usePage();
  const has = attachment.canvas !== undefined;
  return (
    <Button
      look="quiet"
      size="small"
      icon={Crop}
      aria-pressed={has}
      onClick={() => router.openLayer('extend')}
    >
      {text(has ? 'make.canvas.edit' : 'make.canvas')}
    </Button>
  );
}

/** Renders the mask button if the model supports masks, or if the draft has a mask that can be removed. */
function MaskButton({ onOpen }: { readonly onOpen: () => void }) {
  const { draft, chosen } = usePage();
  const support = chosen.value?.capabilities?.masks.support;
  const has = draft.mask.value !== undefined;
  if (!has && (support === undefined || support === 'unsupported')) return null;
  return (
    <Button look="quiet" size="small" icon={Brush} aria-pressed={has} onClick={onOpen}>
      {text(has ? 'make.mask.edit' : 'make.mask')}
    </Button>
  );
}

function AttachmentImage({ attachment: { content } }: { readonly attachment: Attachment }) {
  const path =
    content instanceof Blob ? undefined : `/v1/artifacts/${content.artifactId}/thumbnail?edge=256`;
  const remote = useImage(path);
  const [local, setLocal] = useState<string>();
  useEffect(() => {
    if (!(content instanceof Blob)) return;
    const url = URL.createObjectURL(content);
    setLocal(url);
    return () => URL.revokeObjectURL(url);
  }, [content]);
  const url = local ?? (remote.state === 'ready' ? remote.url : undefined);
  return url === undefined ? <i class="blank" /> : <img src={url} alt="" />;
}
