"""One process of a real run of sentence-transformers on a tiny model; its arguments are those of accelerate_job.py."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainingArguments
from sentence_transformers.losses import BatchAllTripletLoss
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, TrainerCallback

from tests.accelerate_job import main
from tests.training_libraries import EPOCHS, code_blocks, shared_lines

STOP = 25  # the steps of a process after which a run ends, within an epoch of one process or of two


def model_of(words: list[str]) -> SentenceTransformer:
    """Return a tiny model, which knows these words."""
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    known = [*special.values(), *words]
    tokenizer = Tokenizer(WordLevel({word: code for code, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    with TemporaryDirectory() as folder:
        PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
        BertModel(BertConfig(vocab_size=len(known), **size)).save_pretrained(folder)
        return SentenceTransformer(folder)


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
        num_train_epochs=EPOCHS,
        remove_unused_columns=False,
        save_steps=STOP,
        save_only_model=True,  # torch loads no optimizer onto "cpu:0", the device of a rank
        seed=1,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
    )
    sentences = [f"w{row}" for row in range(len(names["labels"]))]
    rows = Dataset.from_dict({"sentence": sentences, "label": names["labels"].tolist()})
    model = model_of(sentences)
    loss = Recorder(model)
    trainer = names["StratifiedTrainer"](model, arguments, train_dataset=rows, loss=loss, callbacks=[Stop(stop)])
    trainer.train(resume_from_checkpoint=resume)
    return loss.seen


def job_recipe(processes: int, folder: Path) -> Any:
    """Three epochs; the beginning of them, with a checkpoint; and what follows from there."""
    ((_, code),) = code_blocks("sentence-transformers")
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(shared_lines() + code, names)
    return {
        "whole": trained(names, folder / "whole", False),
        "begun": trained(names, folder / "parts", False, STOP),
        "resumed": trained(names, folder / "parts", True),
    }


if __name__ == "__main__":
    main(globals())
