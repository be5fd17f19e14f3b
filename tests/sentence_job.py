"""A real run of sentence-transformers with the trainer of its recipe, on a tiny model; its argument is a folder.

Writes the rows of the batches of three epochs, of their beginning with a checkpoint in the second one, and of what
follows from there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainingArguments
from sentence_transformers.losses import BatchAllTripletLoss
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, TrainerCallback

from tests.training_libraries import code_blocks, shared_lines

STOP = 25  # the steps after which a run ends


def save_model(folder: str, words: list[str]) -> None:
    """Save a tiny model, which knows these words."""
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    known = [*special.values(), *words]
    tokenizer = Tokenizer(WordLevel({word: code for code, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(known), **size)).save_pretrained(folder)


class Recorder(BatchAllTripletLoss):  # type: ignore[misc]
    """Notes the rows that it is called with; a row is the code of its word."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.seen: list[list[int]] = []

    def forward(self, sentence_features: Any, labels: Any) -> Any:
        features = list(sentence_features)
        self.seen.append((features[0]["input_ids"].max(dim=1).values - 4).tolist())
        return super().forward(features, labels)


class Stop(TrainerCallback):  # type: ignore[misc]
    def __init__(self, stop: int) -> None:
        self.stop = stop

    def on_step_end(self, arguments: Any, state: Any, control: Any, **_: Any) -> Any:
        control.should_training_stop = state.global_step == self.stop
        return control


def trained(names: dict[str, Any], folder: Path, resume: bool, stop: int = 0) -> list[list[int]]:
    """Train from the last checkpoint if `resume`, to the end or until `stop` steps are done."""
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=3,
        remove_unused_columns=False,
        save_steps=STOP,
        seed=1,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
    )
    model = SentenceTransformer(str(folder.parent / "model"))
    loss = Recorder(model)
    sentences = [f"w{row}" for row in range(len(names["labels"]))]
    rows = Dataset.from_dict({"sentence": sentences, "label": names["labels"].tolist()})
    trainer = names["StratifiedTrainer"](model, arguments, train_dataset=rows, loss=loss, callbacks=[Stop(stop)])
    trainer.train(resume_from_checkpoint=resume)
    return loss.seen


def main() -> None:
    folder = Path(sys.argv[1])
    ((_, code),) = code_blocks("sentence-transformers")
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(shared_lines() + code, names)
    save_model(str(folder / "model"), [f"w{row}" for row in range(len(names["labels"]))])
    told = {
        "whole": trained(names, folder / "whole", False),
        "begun": trained(names, folder / "parts", False, STOP),
        "resumed": trained(names, folder / "parts", True),
    }
    (folder / "told.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
