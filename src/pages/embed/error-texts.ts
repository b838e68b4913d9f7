/** What error pages of embeds say, in each language: a title, and what to do. In the assets as `embed-errors.json`. */
import type { PageError } from "../../contracts/embeds/page-error.ts";
import type { EmbedLocale } from "../../contracts/embeds/page-query.ts";

export interface ErrorTexts {
  /** Label of the id that support asks for. */
  readonly reference: string;
  readonly errors: Readonly<Record<PageError, readonly [title: string, advice: string]>>;
}

export const ERROR_TEXTS: Readonly<Record<EmbedLocale, ErrorTexts>> = {
  en: {
    reference: "Reference",
    errors: {
      token_missing: [
        "This frame has no token",
        "The address of the frame lacks its token. The owner of this page can add it.",
      ],
      token_invalid: [
        "The token of this frame is not valid",
        "It was changed, or belongs to another service. The owner of this page can create a new one.",
      ],
      token_expired: [
        "This frame has expired",
        "Reload the page. If that does not help, the owner of this page can create a new token.",
      ],
      token_revoked: [
        "This frame was switched off",
        "Its token was revoked. The owner of this page can create a new one.",
      ],
      embed_disabled: [
        "Embeds are not available",
        "The plan of the workspace does not include embeds. The owner of this page can change the plan.",
      ],
      workflow_mismatch: [
        "The token is for another workflow",
        "The owner of this page can correct the address, or create a token for this workflow.",
      ],
      interface_mismatch: [
        "The token is for another form",
        "The owner of this page can correct the address, or create a token for this form.",
      ],
      wrong_token_type: [
        "The token is of another kind",
        "The form and the editor need different tokens. The owner of this page can create the right one.",
      ],
      forbidden: [
        "The token does not allow this",
        "The key behind the token lacks a permission. The owner of this page can use another key.",
      ],
      interface_not_found: [
        "This form does not exist",
        "The workflow has no form with this id. The owner of this page can correct the address.",
      ],
      workflow_not_available: [
        "This workflow is not available",
        "It is not published, or was deleted. The owner of this page can publish it again.",
      ],
      missing_name: [
        "The name of the workflow is missing",
        "The address of the editor needs the id of a workflow, or the name of a new one.",
      ],
      too_many_requests: ["Too many requests", "Wait a minute, then reload the page."],
      internal_error: [
        "The service failed",
        "Reload the page. If the error persists, quote the reference below to support.",
      ],
    },
  },
  de: {
    reference: "Referenz",
    errors: {
      token_missing: [
        "Diesem Rahmen fehlt das Token",
        "In der Adresse des Rahmens fehlt das Token. Der Betreiber dieser Seite kann es ergänzen.",
      ],
      token_invalid: [
        "Das Token dieses Rahmens ist ungültig",
        "Es wurde verändert oder gehört zu einem anderen Dienst. Der Betreiber dieser Seite kann ein neues erstellen.",
      ],
      token_expired: [
        "Dieser Rahmen ist abgelaufen",
        "Laden Sie die Seite neu. Hilft das nicht, kann der Betreiber dieser Seite ein neues Token erstellen.",
      ],
      token_revoked: [
        "Dieser Rahmen wurde abgeschaltet",
        "Sein Token wurde widerrufen. Der Betreiber dieser Seite kann ein neues erstellen.",
      ],
      embed_disabled: [
        "Einbettungen sind nicht verfügbar",
        "Der Tarif des Arbeitsbereichs enthält keine Einbettungen. Der Betreiber dieser Seite kann den Tarif ändern.",
      ],
      workflow_mismatch: [
        "Das Token gilt für einen anderen Workflow",
        "Der Betreiber dieser Seite kann die Adresse korrigieren oder ein Token für diesen Workflow erstellen.",
      ],
      interface_mismatch: [
        "Das Token gilt für ein anderes Formular",
        "Der Betreiber dieser Seite kann die Adresse korrigieren oder ein Token für dieses Formular erstellen.",
      ],
      wrong_token_type: [
        "Das Token ist von anderer Art",
        "Formular und Editor brauchen verschiedene Tokens. Der Betreiber dieser Seite kann das richtige erstellen.",
      ],
      forbidden: [
        "Das Token erlaubt das nicht",
        "Dem Schlüssel hinter dem Token fehlt eine Berechtigung. Der Betreiber dieser Seite kann einen anderen Schlüssel verwenden.",
      ],
      interface_not_found: [
        "Dieses Formular gibt es nicht",
        "Der Workflow hat kein Formular mit dieser Kennung. Der Betreiber dieser Seite kann die Adresse korrigieren.",
      ],
      workflow_not_available: [
        "Dieser Workflow ist nicht verfügbar",
        "Er ist nicht veröffentlicht oder wurde gelöscht. Der Betreiber dieser Seite kann ihn wieder veröffentlichen.",
      ],
      missing_name: [
        "Der Name des Workflows fehlt",
        "Die Adresse des Editors braucht die Kennung eines Workflows oder den Namen eines neuen.",
      ],
      too_many_requests: [
        "Zu viele Anfragen",
        "Warten Sie eine Minute und laden Sie die Seite dann neu.",
      ],
      internal_error: [
        "Der Dienst ist ausgefallen",
        "Laden Sie die Seite neu. Bleibt der Fehler, nennen Sie dem Support die Referenz unten.",
      ],
    },
  },
  fr: {
    reference: "Référence",
    errors: {
      token_missing: [
        "Ce cadre n’a pas de jeton",
        "L’adresse du cadre ne contient pas son jeton. Le propriétaire de cette page peut l’ajouter.",
      ],
      token_invalid: [
        "Le jeton de ce cadre n’est pas valable",
        "Il a été modifié ou appartient à un autre service. Le propriétaire de cette page peut en créer un nouveau.",
      ],
      token_expired: [
        "Ce cadre a expiré",
        "Rechargez la page. Si cela ne suffit pas, le propriétaire de cette page peut créer un nouveau jeton.",
      ],
      token_revoked: [
        "Ce cadre a été désactivé",
        "Son jeton a été révoqué. Le propriétaire de cette page peut en créer un nouveau.",
      ],
      embed_disabled: [
        "Les intégrations ne sont pas disponibles",
        "L’offre de l’espace de travail ne comprend pas les intégrations. Le propriétaire de cette page peut changer d’offre.",
      ],
      workflow_mismatch: [
        "Le jeton est prévu pour un autre workflow",
        "Le propriétaire de cette page peut corriger l’adresse ou créer un jeton pour ce workflow.",
      ],
      interface_mismatch: [
        "Le jeton est prévu pour un autre formulaire",
        "Le propriétaire de cette page peut corriger l’adresse ou créer un jeton pour ce formulaire.",
      ],
      wrong_token_type: [
        "Le jeton est d’un autre type",
        "Le formulaire et l’éditeur demandent des jetons différents. Le propriétaire de cette page peut créer le bon.",
      ],
      forbidden: [
        "Le jeton ne le permet pas",
        "Il manque une permission à la clé du jeton. Le propriétaire de cette page peut utiliser une autre clé.",
      ],
      interface_not_found: [
        "Ce formulaire n’existe pas",
        "Le workflow n’a pas de formulaire avec cet identifiant. Le propriétaire de cette page peut corriger l’adresse.",
      ],
      workflow_not_available: [
        "Ce workflow n’est pas disponible",
        "Il n’est pas publié ou a été supprimé. Le propriétaire de cette page peut le publier à nouveau.",
      ],
      missing_name: [
        "Il manque le nom du workflow",
        "L’adresse de l’éditeur doit contenir l’identifiant d’un workflow ou le nom d’un nouveau.",
      ],
      too_many_requests: ["Trop de requêtes", "Attendez une minute, puis rechargez la page."],
      internal_error: [
        "Le service a échoué",
        "Rechargez la page. Si l’erreur persiste, donnez la référence ci-dessous à l’assistance.",
      ],
    },
  },
  es: {
    reference: "Referencia",
    errors: {
      token_missing: [
        "Este marco no tiene token",
        "En la dirección del marco falta el token. El propietario de esta página puede añadirlo.",
      ],
      token_invalid: [
        "El token de este marco no es válido",
        "Se ha modificado o pertenece a otro servicio. El propietario de esta página puede crear uno nuevo.",
      ],
      token_expired: [
        "Este marco ha caducado",
        "Vuelva a cargar la página. Si no basta, el propietario de esta página puede crear un token nuevo.",
      ],
      token_revoked: [
        "Este marco se ha desactivado",
        "Su token se ha revocado. El propietario de esta página puede crear uno nuevo.",
      ],
      embed_disabled: [
        "Las inserciones no están disponibles",
        "El plan del espacio de trabajo no incluye inserciones. El propietario de esta página puede cambiar el plan.",
      ],
      workflow_mismatch: [
        "El token es de otro flujo de trabajo",
        "El propietario de esta página puede corregir la dirección o crear un token para este flujo de trabajo.",
      ],
      interface_mismatch: [
        "El token es de otro formulario",
        "El propietario de esta página puede corregir la dirección o crear un token para este formulario.",
      ],
      wrong_token_type: [
        "El token es de otro tipo",
        "El formulario y el editor necesitan tokens distintos. El propietario de esta página puede crear el correcto.",
      ],
      forbidden: [
        "El token no lo permite",
        "A la clave del token le falta un permiso. El propietario de esta página puede usar otra clave.",
      ],
      interface_not_found: [
        "Este formulario no existe",
        "El flujo de trabajo no tiene un formulario con este identificador. El propietario de esta página puede corregir la dirección.",
      ],
      workflow_not_available: [
        "Este flujo de trabajo no está disponible",
        "No está publicado o se ha eliminado. El propietario de esta página puede publicarlo de nuevo.",
      ],
      missing_name: [
        "Falta el nombre del flujo de trabajo",
        "La dirección del editor necesita el identificador de un flujo de trabajo o el nombre de uno nuevo.",
      ],
      too_many_requests: [
        "Demasiadas solicitudes",
        "Espere un minuto y vuelva a cargar la página.",
      ],
      internal_error: [
        "El servicio ha fallado",
        "Vuelva a cargar la página. Si el error persiste, indique al soporte la referencia siguiente.",
      ],
    },
  },
  ja: {
    reference: "参照番号",
    errors: {
      token_missing: [
        "このフレームにはトークンがありません",
        "フレームのアドレスにトークンが含まれていません。このページの所有者が追加できます。",
      ],
      token_invalid: [
        "このフレームのトークンは無効です",
        "変更されたか、別のサービスのものです。このページの所有者が新しいトークンを作成できます。",
      ],
      token_expired: [
        "このフレームの有効期限が切れました",
        "ページを再読み込みしてください。解決しない場合は、このページの所有者が新しいトークンを作成できます。",
      ],
      token_revoked: [
        "このフレームは無効にされました",
        "トークンが取り消されました。このページの所有者が新しいトークンを作成できます。",
      ],
      embed_disabled: [
        "埋め込みは利用できません",
        "ワークスペースのプランに埋め込みが含まれていません。このページの所有者がプランを変更できます。",
      ],
      workflow_mismatch: [
        "トークンは別のワークフロー用です",
        "このページの所有者がアドレスを修正するか、このワークフロー用のトークンを作成できます。",
      ],
      interface_mismatch: [
        "トークンは別のフォーム用です",
        "このページの所有者がアドレスを修正するか、このフォーム用のトークンを作成できます。",
      ],
      wrong_token_type: [
        "トークンの種類が違います",
        "フォームとエディターには別々のトークンが必要です。このページの所有者が正しいトークンを作成できます。",
      ],
      forbidden: [
        "このトークンでは許可されていません",
        "トークンのキーに権限がありません。このページの所有者が別のキーを使用できます。",
      ],
      interface_not_found: [
        "このフォームは存在しません",
        "ワークフローにこの ID のフォームがありません。このページの所有者がアドレスを修正できます。",
      ],
      workflow_not_available: [
        "このワークフローは利用できません",
        "公開されていないか、削除されています。このページの所有者が再び公開できます。",
      ],
      missing_name: [
        "ワークフローの名前がありません",
        "エディターのアドレスには、ワークフローの ID または新しいワークフローの名前が必要です。",
      ],
      too_many_requests: [
        "リクエストが多すぎます",
        "1 分待ってからページを再読み込みしてください。",
      ],
      internal_error: [
        "サービスでエラーが発生しました",
        "ページを再読み込みしてください。エラーが続く場合は、下の参照番号をサポートに伝えてください。",
      ],
    },
  },
  ar: {
    reference: "المرجع",
    errors: {
      token_missing: [
        "لا يوجد رمز لهذا الإطار",
        "عنوان الإطار لا يحتوي على رمزه. يمكن لمالك هذه الصفحة إضافته.",
      ],
      token_invalid: [
        "رمز هذا الإطار غير صالح",
        "تم تغييره أو أنه يخص خدمة أخرى. يمكن لمالك هذه الصفحة إنشاء رمز جديد.",
      ],
      token_expired: [
        "انتهت صلاحية هذا الإطار",
        "أعد تحميل الصفحة. إذا لم يفد ذلك، يمكن لمالك هذه الصفحة إنشاء رمز جديد.",
      ],
      token_revoked: ["تم إيقاف هذا الإطار", "تم إلغاء رمزه. يمكن لمالك هذه الصفحة إنشاء رمز جديد."],
      embed_disabled: [
        "التضمين غير متاح",
        "خطة مساحة العمل لا تشمل التضمين. يمكن لمالك هذه الصفحة تغيير الخطة.",
      ],
      workflow_mismatch: [
        "الرمز مخصص لسير عمل آخر",
        "يمكن لمالك هذه الصفحة تصحيح العنوان أو إنشاء رمز لسير العمل هذا.",
      ],
      interface_mismatch: [
        "الرمز مخصص لنموذج آخر",
        "يمكن لمالك هذه الصفحة تصحيح العنوان أو إنشاء رمز لهذا النموذج.",
      ],
      wrong_token_type: [
        "الرمز من نوع آخر",
        "يحتاج النموذج والمحرر إلى رمزين مختلفين. يمكن لمالك هذه الصفحة إنشاء الرمز الصحيح.",
      ],
      forbidden: [
        "الرمز لا يسمح بذلك",
        "المفتاح وراء الرمز تنقصه صلاحية. يمكن لمالك هذه الصفحة استخدام مفتاح آخر.",
      ],
      interface_not_found: [
        "هذا النموذج غير موجود",
        "لا يوجد في سير العمل نموذج بهذا المعرّف. يمكن لمالك هذه الصفحة تصحيح العنوان.",
      ],
      workflow_not_available: [
        "سير العمل هذا غير متاح",
        "لم يُنشر أو تم حذفه. يمكن لمالك هذه الصفحة نشره مرة أخرى.",
      ],
      missing_name: [
        "اسم سير العمل مفقود",
        "يحتاج عنوان المحرر إلى معرّف سير عمل أو اسم سير عمل جديد.",
      ],
      too_many_requests: ["طلبات كثيرة جدًا", "انتظر دقيقة ثم أعد تحميل الصفحة."],
      internal_error: [
        "حدث خطأ في الخدمة",
        "أعد تحميل الصفحة. إذا استمر الخطأ، فأرسل المرجع أدناه إلى الدعم.",
      ],
    },
  },
};
